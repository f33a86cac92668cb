import { beforeAll, describe, expect, inject, it } from 'vitest'
import { clients } from '../../scripts/lib/config.ts'
import { logIn, openDocumentation, operationOf, type Reader, useClient } from './visitor.ts'

describe('The documentation page in Chromium, for a person', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = await openDocumentation()
    await logIn(reader, 'John Doe')
  })

  it('lets them log in, come back and see their own name among the users', async () => {
    const response = await reader.run('List users', async (operation) => {
      const filter = operation.locator('tr[data-param-name="filter[id]"]')
      await filter.getByRole('button', { name: 'Add string item' }).click()
      await filter.locator('input[type="text"]').fill('1')
    })

    expect(response).toContain('200')
    expect(response).toContain('"fullName": "John Doe"')
    expect(response).toContain('"creditCardNumber"')
    const asked = reader.asked.find(({ pathname }) => pathname === '/authorize')
    expect(asked?.searchParams.get('code_challenge_method')).toBe('S256')
  })

  it('lets them write without another click, and again: the example of a create has an address of its own each time', async () => {
    const response = await reader.run('Create one user')
    expect(response).toContain('201')
    expect(response).toContain('"fullName": "Kari Nordmann"')
    const operation = operationOf(reader.page, 'Create one user')
    await operation.getByRole('button', { name: 'Clear' }).click()
    await operation.getByRole('button', { name: 'Execute' }).click()
    const again = operation.locator('.live-responses-table .response')
    await again.waitFor()
    expect(await again.textContent()).toContain('201')
  })

  it('fills in nobody whom a write would change', async () => {
    const operation = operationOf(reader.page, 'Delete one user')
    await operation.locator('.opblock-summary-control').click()
    const id = operation.locator('tr[data-param-name="id"] input')
    expect(await id.inputValue()).toBe('')
    expect(await id.getAttribute('placeholder')).toBe('id')
  })

  it('asks no other host for anything, and follows its content security policy', () => {
    const origins = new Set(reader.asked.map(({ origin }) => origin))
    expect(origins).toEqual(new Set([inject('service'), inject('issuer')]))
    expect(reader.complaints).toEqual([])
  })
})

it('The documentation page shows the challenge to a visitor who has not logged in, and lets a client read what is not about people', async () => {
  const reader = await openDocumentation()
  expect(await reader.run('List currencies')).toMatch(/401.*"UNAUTHORIZED"/s)
  await useClient(reader, clients.machine)
  const response = await reader.run('List countries')
  expect(response).toContain('200')
  expect(response).toContain('"type": "countries"')
})
