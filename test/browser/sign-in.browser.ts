import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { clients } from '../../scripts/lib/config.ts'
import {
  goToDocumentation,
  logIn,
  openDialog,
  openDocumentation,
  pick,
  type Reader,
  runOperation,
  schemeOf,
} from './visitor.ts'

/** What the tab keeps: the tokens by security scheme. */
async function kept(page: Page): Promise<Record<string, Record<string, unknown>>> {
  const texts = await page.evaluate(() => Object.values(sessionStorage))
  expect(texts).toHaveLength(1)
  return JSON.parse(String(texts[0]))
}

/** The status of a read, once the page has been loaded again, without the operation in its address. */
async function statusAfterReload(page: Page): Promise<string> {
  await goToDocumentation(page)
  return /^\d+/.exec(await runOperation(page, 'List currencies'))?.[0] ?? ''
}

// Each test goes on where the one before has left the page.
describe('Signing in on the documentation page', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = await openDocumentation()
  })

  it('begins with the public client in the flow of persons, and with none in that of machines', async () => {
    const { page } = reader
    await openDialog(page)
    const person = schemeOf(page, 'As a person')
    const machine = schemeOf(page, 'As an application')

    expect(await person.getByLabel('client_id').inputValue()).toBe(clients.app.id)
    expect(await person.getByLabel('client_secret').isVisible()).toBe(false)
    expect(await machine.getByLabel('client_id').inputValue()).toBe('')
    expect(await machine.getByLabel('client_secret').inputValue()).toBe('')
    await page.keyboard.press('Escape')
  })

  it('survives a reload, in the tab alone, and keeps nothing but the token and its end', async () => {
    await logIn(reader, 'John Doe')
    const { Authorization_Code_With_PKCE: token, ...others } = await kept(reader.page)

    expect(Object.keys(token ?? {})).toEqual(['token', 'expires'])
    expect(others).toEqual({})
    expect(await reader.page.evaluate(() => Object.keys(localStorage))).toEqual([])
    expect(await reader.page.evaluate(() => document.cookie)).toBe('')
    expect(await statusAfterReload(reader.page)).toBe('200')

    const tab = await reader.page.context().newPage()
    await goToDocumentation(tab)
    expect(await runOperation(tab, 'List currencies')).toMatch(/^401/)
    await tab.close()
  })

  it('ends with the lifetime of the token', async () => {
    await reader.page.evaluate(() => {
      for (const [key, text] of Object.entries(sessionStorage)) {
        sessionStorage.setItem(key, String(text).replace(/"expires":\d+/, '"expires":1'))
      }
    })

    expect(await statusAfterReload(reader.page)).toBe('401')
  })

  it('shows who is signed in, for what, and by which client, and lets another person sign in, in one dialog', async () => {
    const { page } = reader
    const told = page.getByRole('status')
    expect(await told.textContent()).toBe('Not signed in.')
    await openDialog(page)
    await pick(page, 'John Doe')
    expect(await told.textContent()).toMatch(/^Signed in as 1, for users\.read, .*users\.write\. $/)
    expect(await schemeOf(page, 'As a person').textContent()).toContain(clients.app.id)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await pick(page, 'Jane Doe')
    expect(await told.textContent()).toMatch(/^Signed in as 2, /)
  })

  it('works after an exchange that has failed', async () => {
    const { page } = reader
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.route('**/token', (route) => route.fulfill({ status: 400, json: {} }), { times: 1 })
    await expect(pick(page, 'John Doe', 5_000)).rejects.toThrow('Timeout')
    await pick(page, 'John Doe')
    await page.keyboard.press('Escape')
  })

  it('ends with signing out', async () => {
    await openDialog(reader.page)
    await reader.page.getByRole('button', { name: 'Sign out' }).click()

    expect(await kept(reader.page)).toEqual({})
    expect(await statusAfterReload(reader.page)).toBe('401')
  })
})
