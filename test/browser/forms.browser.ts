import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, openDocumentation, operationOf, sampleOf } from './visitor.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

describe('The code samples beside a form of the documentation page (contract, section 19)', () => {
  it('follow the values of the query that are filled in, and send what the page sends', async () => {
    const reader = await openDocumentation(browser)
    const operation = operationOf(reader.page, 'List users')
    await reader.run('List users', async () => {
      expect(await sampleOf(operation)).toContain('filter[id]=1,2')
      await operation.locator('tr[data-param-name="page[limit]"] input').fill('7')
      await operation
        .locator('tr[data-param-name="sort"] select')
        .selectOption(['fullName', '-email'])
      await operation.getByRole('button', { name: /more: / }).click()
      await operation.locator('tr[data-param-name="If-Match"] input').fill('"a"')
    })
    const sent = reader.asked.find(({ pathname }) => pathname.endsWith('/users'))
    await expect.poll(() => sampleOf(operation)).toContain(`-H 'If-Match: "a"'`)
    const sample = await sampleOf(operation)

    expect(sent?.searchParams.get('sort')).toBe('fullName,-email')
    const [, query = ''] = /\/users\?([^']*)'/.exec(sample) ?? []
    expect([...new URLSearchParams(query)].toSorted()).toEqual(
      [...(sent?.searchParams ?? [])].toSorted(),
    )
  })

  it('follow a list that is sent empty', async () => {
    const { page } = await openDocumentation(browser)
    const operation = operationOf(page, 'List countries')
    await operation.locator('.opblock-summary-control').click()
    await operation
      .locator('tr[data-param-name="include"] .parameter__empty_value_toggle input')
      .check()

    await expect.poll(() => sampleOf(operation)).toContain("/countries?include='")
  })

  it('follow the path and the body that are filled in, while the body is JSON', async () => {
    const { page } = await openDocumentation(browser)
    const operation = operationOf(page, 'Change one user')
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('tr[data-param-name="id"] input').fill('2')
    const body = operation.locator('textarea').first()
    await body.fill(
      '{"data": {"id": "2", "attributes": {"fullName": "Jane Roe", "creditCardNumber": null}}}',
    )
    await expect.poll(() => sampleOf(operation, 'python')).toContain('/users/2"')
    const python = await sampleOf(operation)

    expect(python).toMatch(/"fullName": "Jane Roe",\s+"creditCardNumber": None\s/)
    await body.fill('{"data": {"id": "2",')
    expect(await sampleOf(operation, 'python')).toBe(python)
    await body.fill('{"data": {"id": "3"}}')
    expect(await sampleOf(operation, 'python')).toMatch(/"id": "3"\s/)
  })

  it('have the key of their own until the request is another one, or a key is filled in', async () => {
    const { page } = await openDocumentation(browser)
    const operation = operationOf(page, 'Create one user')
    await operation.locator('.opblock-summary-control').click()
    const keyOf = async () =>
      /Idempotency-Key: ([^']+)/.exec(await sampleOf(operation, 'curl'))?.[1]
    const first = await keyOf()
    await sampleOf(operation, 'javascript')

    expect(await keyOf()).toBe(first)
    await operation.locator('textarea').first().fill('{"data": {"type": "users"}}')
    expect(await keyOf()).not.toBe(first)
    await operation.getByRole('button', { name: /more: / }).click()
    await operation.locator('tr[data-param-name="Idempotency-Key"] input').fill('mine')
    await expect.poll(keyOf).toBe('mine')
  })

  it('delete nobody who is filled in beforehand', async () => {
    const { page } = await openDocumentation(browser)
    const operation = operationOf(page, 'Delete one user')
    await operation.locator('.opblock-summary-control').click()
    const id = operation.locator('tr[data-param-name="id"] input')

    expect(await id.inputValue()).toBe('')
    expect(await sampleOf(operation)).toContain("/users/7'")
    await id.fill('8')
    await expect.poll(() => sampleOf(operation)).toContain("/users/8'")
  })
})
