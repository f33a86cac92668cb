import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, inject } from 'vitest'

/** Chromium. The windows of the tests of a file close after them. */
export const browser = await chromium.connect(inject('chromium'))
afterAll(() => browser.close())

/** A visitor of the documentation, and what the browser has recorded. */
export type Reader = Awaited<ReturnType<typeof openDocumentation>>

/** Opens the documentation in a window of its own, with a storage of its own. */
export async function openDocumentation(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...options })
  /** Every URL that anything was asked of. */
  const asked: URL[] = []
  /** What the page has logged as an error, violations of its policy among it. */
  const complaints: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith('data:')) {
      asked.push(new URL(request.url()))
    }
  })
  context.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(message.text())
    }
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  const page = await context.newPage()
  await goToDocumentation(page)
  return { page, asked, complaints, run: runOperation.bind(undefined, page) }
}

/** Leads a page to the documentation, as it is when it has loaded. */
export async function goToDocumentation(page: Page): Promise<void> {
  await page.goto(`${inject('service')}/jsonapi/docs`)
  await page.getByRole('heading', { name: 'Operations', exact: true }).waitFor()
}

/** Opens the dialog in which visitors sign in. */
export async function openDialog(page: Page): Promise<void> {
  await page.locator('.auth-wrapper > .btn').click()
}

/** The part of the dialog for one security scheme. */
export function schemeOf(page: Page, name: string): Locator {
  return page.locator('.auth-container', { hasText: name })
}

/** The operation with a summary. */
export function operationOf(page: Page, summary: string): Locator {
  return page.locator('.opblock', { has: page.getByText(summary, { exact: true }) })
}

/** Opens the dialog, picks a person on the page that opens, and comes back. */
export async function logIn({ page }: Reader, person: string): Promise<void> {
  await openDialog(page)
  await pick(page, person)
  await page.locator('.close-modal').click()
}

/** Signs a person in, in the dialog that is open. */
export async function pick(page: Page, person: string, timeout = 30_000): Promise<void> {
  const scheme = schemeOf(page, 'As a person')
  const window = await opened(page.context(), () => authorize(scheme))
  await window.getByRole('button', { name: person }).click()
  await scheme.getByText('Sign out').waitFor({ timeout })
}

/** Gets a token for the client that is filled in. */
export async function useClient(
  { page }: Reader,
  { id, secret }: { readonly id: string; readonly secret: string },
): Promise<void> {
  await openDialog(page)
  const scheme = schemeOf(page, 'As an application')
  await scheme.getByLabel('client_id').fill(id)
  await scheme.getByLabel('client_secret').fill(secret)
  await authorize(scheme)
  await scheme.getByText('Sign out').waitFor()
  await page.locator('.close-modal').click()
}

function authorize(scheme: Locator): Promise<void> {
  return scheme.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function opened(context: BrowserContext, open: () => Promise<void>): Promise<Page> {
  const [window] = await Promise.all([context.waitForEvent('page'), open()])
  await window.waitForLoadState()
  return window
}

/** Opens an operation, and executes it: the response that is shown, status and body. */
export async function runOperation(
  page: Page,
  summary: string,
  fill: (operation: Locator) => Promise<void> = async () => {},
): Promise<string> {
  const closed = page.locator('.opblock-tag[data-is-open="false"]')
  while ((await closed.count()) > 0) {
    await closed.first().click()
  }
  const operation = operationOf(page, summary)
  await operation.locator('.opblock-summary-control').click()
  await fill(operation)
  await operation.getByRole('button', { name: 'Execute' }).click()
  const response = operation.locator('.live-responses-table .response')
  await response.waitFor()
  return (await response.textContent()) ?? ''
}
