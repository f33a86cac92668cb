import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** What `axe.run` gives, as far as it is looked at here. */
interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly target: readonly string[] }[]
  }[]
}

const source = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong with a page as it is now, by all of its rules: the rule, and the elements that break it. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const { violations }: AxeResults = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] })",
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}
