import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { violationsOf } from './axe.ts'
import {
  logIn,
  openBrowser,
  openDialog,
  openDocumentation,
  operationOf,
  type Reader,
} from './visitor.ts'

const images = join(import.meta.dirname, '..', '..', 'docs', 'images')

/** Screens that visitors have, each with the picture of it. Colours do not depend on the width. */
const screens = [
  {
    name: 'a wide screen, light',
    picture: 'docs-page.png',
    colorScheme: 'light',
    viewport: { width: 1280, height: 1000 },
  },
  {
    name: 'a wide screen, dark',
    picture: 'docs-page-dark.png',
    colorScheme: 'dark',
    viewport: { width: 1280, height: 1000 },
  },
  {
    name: 'a phone, light',
    picture: 'docs-page-phone.png',
    colorScheme: 'light',
    viewport: { width: 375, height: 812 },
  },
] as const

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

/** Clicks everything that is folded within an operation. */
async function unfold(page: Page, summary: string): Promise<void> {
  const folds = operationOf(page, summary).locator('.fold[aria-expanded=false]')
  while ((await folds.count()) > 0) {
    await folds.first().click()
  }
}

/** How far the page is wider than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

describe.each(screens)('The documentation page on $name', (screen) => {
  let reader: Reader
  beforeAll(async () => {
    const { colorScheme, viewport } = screen
    reader = await openDocumentation(browser, { colorScheme, viewport })
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

  it.each(['List currencies', 'Add relatives to one user'])(
    'is accessible with "%s" unfolded, executed and described by its schema',
    async (summary) => {
      const { page, run } = reader
      const operation = operationOf(page, summary)
      await run(summary)
      await unfold(page, summary)
      await operation.getByRole('tab', { name: 'Schema' }).first().click()
      await expectSound()
      await operation.locator('.opblock-summary-control').click()
    },
  )

  it('is accessible where models are shown', async () => {
    await reader.page.locator('.models-control').click()
    await reader.page.locator('.model-box-control').first().click()
    await expectSound()
    await reader.page.locator('.models-control').click()
  })

  it('is accessible in the dialog, before and after signing in', async () => {
    await openDialog(reader.page)
    await expectSound()
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
    if (process.env.SCREENSHOTS) {
      await writeFile(join(images, screen.picture), await reader.page.screenshot())
    }
  })
})

it('says that it loads until its script has run, which axe finds no fault with', async () => {
  const page = await browser.newPage()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/swagger-ui-bundle.js', async (route) => {
    await promise
    await route.continue()
  })
  await page.goto(`${inject('service')}/jsonapi/docs`, { waitUntil: 'commit' })
  const text = page.getByText('Loading', { exact: false })
  await text.waitFor()

  expect(await violationsOf(page)).toEqual([])
  resolve()
  await page.getByText('List users').waitFor()
  expect(await text.count()).toBe(0)
})

describe('An operation of the documentation page', () => {
  it.each([
    { width: 1280, height: 800 },
    { width: 1920, height: 1080 },
  ])(
    'fits on a screen of $width × $height, request on the left and answer on the right, and errors are folded away',
    async (viewport) => {
      const { page } = await openDocumentation(browser, { viewport })
      const operations = page.locator('.opblock')
      await operations.locator('.opblock-summary-control').evaluateAll((all) => {
        for (const one of all) {
          one.dispatchEvent(new MouseEvent('click', { bubbles: true }))
        }
      })
      await operations.locator('.execute').nth(23).waitFor()
      await page.waitForFunction(
        () => document.querySelectorAll('.opblock .samples code').length === 24,
      )
      const boxes = await operations.evaluateAll((all) =>
        all.map((one) => {
          const { top, bottom } = one.getBoundingClientRect()
          const edge = (selector: string) => one.querySelector(selector)?.getBoundingClientRect()
          return {
            height: bottom - top,
            isBeside: (edge('.answers')?.left ?? 0) >= (edge('.execute')?.right ?? Number.NaN),
          }
        }),
      )

      expect(boxes).toHaveLength(24)
      for (const { height, isBeside } of boxes) {
        expect(height).toBeLessThan(viewport.height)
        expect(isBeside).toBe(true)
      }
      expect(await operations.locator('.response').count()).toBe(24)
      await operations.getByRole('button', { name: 'Other answers' }).first().click()
      expect(await operations.first().locator('.response[data-code="401"]').count()).toBe(1)
    },
  )

  it('is reached by keyboard: the dialog takes the focus, keeps the page behind it out, and gives the focus back', async () => {
    const { page } = await openDocumentation(browser)
    const button = page.getByRole('button', { name: 'Authorize', exact: true }).first()
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Available authorizations' })
    await dialog.waitFor()

    expect(await dialog.evaluate((element) => element === document.activeElement)).toBe(true)
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press('Tab')
      const outside = await page.evaluate(
        () =>
          document.activeElement?.closest('.modal-ux, body > *:not(#docs)') === null &&
          document.activeElement !== document.body,
      )
      expect(outside).toBe(false)
    }
    await page.keyboard.press('Escape')
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})
