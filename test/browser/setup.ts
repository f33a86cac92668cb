import { rm } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { paths } from '../../scripts/lib/config.ts'
import { outputOf } from '../../scripts/lib/npm.ts'
import { makeCheckout, startIn } from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'

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

/** Starts Chromium and a checkout for the whole run. Without Chromium the run fails at once: nothing here is skipped. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launchServer({ executablePath })
  // Nothing else needs this package.
  await outputOf(paths.root, 'npm', 'install', '--no-save', '--prefer-offline', 'axe-core@4.14.1')
  const folder = await makeCheckout()
  const { service, issuer, stop } = await startIn(folder, await freePorts())
  provide('chromium', browser.wsEndpoint())
  provide('service', service)
  provide('issuer', issuer)
  return async () => {
    await browser.close()
    await stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
