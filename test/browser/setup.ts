import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { npmInstalled } from '../../scripts/lib/install.ts'
import { startCheckout } from '../support/checkout.ts'

declare module 'vitest' {
  /** What every test in the browser gets. */
  interface ProvidedContext {
    /** Where Chromium is controlled: one for all files. */
    readonly chromium: string
    /** Origins of the service and of the authorization server that `npm start` started. */
    readonly service: string
    readonly issuer: string
  }
}

/** Starts a checkout for the whole run. Without Chromium the run fails at once: nothing here is skipped. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no ${executablePath}: apt-get install chromium, or say where in CHROMIUM`,
    )
  }
  // Nothing else needs this package.
  await npmInstalled('axe-core@4.14.1')
  const { service, issuer, stop } = await startCheckout()
  const browser = await chromium.launchServer({
    executablePath,
    // Chromium's sandbox does not run as root, which containers do.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  provide('chromium', browser.wsEndpoint())
  provide('service', service)
  provide('issuer', issuer)
  return async () => {
    await browser.close()
    await stop()
  }
}
