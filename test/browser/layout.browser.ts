import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { violationsOf } from './axe.ts'
import {
  browser,
  logIn,
  openDialog,
  openDocumentation,
  operationOf,
  type Reader,
} from './visitor.ts'

const images = join(import.meta.dirname, '..', '..', 'docs', 'images')

/** Screens that visitors have, each with pictures of it. Colours do not depend on the width. */
const screens = [
  {
    name: 'a wide screen, dark',
    pictures: { dark: 'docs-page-dark.png', light: 'docs-page.png' },
    colorScheme: 'dark',
    viewport: { width: 1280, height: 900 },
  },
  {
    name: 'a phone, light',
    pictures: { light: 'docs-page-phone.png' },
    colorScheme: 'light',
    viewport: { width: 375, height: 812 },
  },
] as const

/** How far the page is wider than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

describe.each(screens)('The documentation page on $name', (screen) => {
  let reader: Reader
  beforeAll(async () => {
    const { colorScheme, viewport } = screen
    reader = await openDocumentation({ colorScheme, viewport })
  })

  /** Nothing that axe objects to, and nothing beyond the edge of the window. */
  async function expectSound(): Promise<void> {
    expect(await violationsOf(reader.page)).toEqual([])
    expect(await overflow(reader.page)).toBe(0)
  }

  it('follows the system in light and dark', async () => {
    const background = await reader.page.evaluate(
      () => getComputedStyle(document.documentElement).backgroundColor,
    )
    const [, red] = /^rgb\((\d+)/.exec(background) ?? []

    expect(Number(red) < 128).toBe(screen.colorScheme === 'dark')
  })

  it('is accessible when it opens', () => expectSound())

  it('is accessible with an operation executed and described by its schema', async () => {
    const { page, run } = reader
    const summary = 'Add relatives to one user'
    const operation = operationOf(page, summary)
    await run(summary, (form) => form.locator('tr[data-param-name="id"] input').fill('1'))
    await operation.getByRole('tab', { name: 'Schema' }).first().click()
    await expectSound()
    await operation.locator('.opblock-summary-control').click()
  })

  it('is accessible in the dialog, before and after signing in', async () => {
    await openDialog(reader.page)
    await expectSound()
    const dialog = reader.page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Sign in', exact: true }).first()
    const { y = Number.NaN, height = 0 } = (await button.boundingBox()) ?? {}
    expect(y + height).toBeLessThan(screen.viewport.height)
    expect(await dialog.textContent()).not.toMatch(/Swagger/)
    await reader.page.keyboard.press('Escape')
    await logIn(reader, 'John Doe')
    await openDialog(reader.page)
    await expectSound()
    await reader.page.keyboard.press('Escape')
  })

  it('shows a signed-in person what they have read', async () => {
    const response = await reader.run('Read one user', async (operation) => {
      await operation.locator('tr[data-param-name="include"] select').selectOption('placeOfBirth')
    })
    const operation = operationOf(reader.page, 'Read one user')
    await operation.evaluate((element) => element.scrollIntoView())

    expect(response).toContain('"fullName": "John')
    await expectSound()
    const pictures = process.env.SCREENSHOTS ? Object.entries(screen.pictures) : []
    for (const [colorScheme, picture] of pictures) {
      await reader.page.emulateMedia({ colorScheme: colorScheme as 'dark' | 'light' })
      await writeFile(join(images, picture), await reader.page.screenshot())
    }
  })
})

it('The pages of guides are accessible, light and dark, and fit a phone', async () => {
  const page = await browser.newPage({ viewport: { width: 375, height: 812 } })
  for (const name of ['index', 'contract']) {
    await page.goto(`${inject('service')}/jsonapi/docs/guides/${name}.html`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsOf(page)).toEqual([])
      expect(await overflow(page)).toBe(0)
    }
  }
})

it('The dialog of the documentation page takes the focus, keeps the page behind it out, lets a keyboard choose scopes, and gives the focus back', async () => {
  const { page } = await openDocumentation()
  const button = page.getByRole('button', { name: 'Sign in', exact: true }).first()
  await button.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await dialog.waitFor()

  expect(await dialog.evaluate((element) => element === document.activeElement)).toBe(true)
  const names = new Set<string | null>()
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab')
    names.add(await page.evaluate(() => document.activeElement?.getAttribute('data-value') ?? null))
    const outside = await page.evaluate(
      () =>
        document.activeElement?.closest('.modal-ux, body > *:not(#docs)') === null &&
        document.activeElement !== document.body,
    )
    expect(outside).toBe(false)
  }
  expect(names).toContain('users.write')
  await page.keyboard.press('Escape')
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
})
