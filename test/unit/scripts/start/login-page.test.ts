import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthorizationServer } from '../../../../scripts/start/authorization-server.ts'
import { redirected, startServer, type Visitor, visitor } from './visitor.ts'

let server: AuthorizationServer
let visit: Visitor
beforeAll(async () => {
  server = await startServer('http://127.0.0.1:18080/jsonapi')
  visit = visitor(server.issuer)
})
afterAll(() => server.close())

describe('the login page', () => {
  it('offers a button for each person, and tells which application asks for which scopes', async () => {
    const response = await (await visit.loginPage()).get()
    const html = await response.text()

    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(html).toContain('<button name="person" value="1">John Doe</button>')
    expect(html).toContain('local-app')
    expect(html).toContain('Read user data')
    expect(html).not.toContain('card number')
  })

  it('writes names as text, never as markup', async () => {
    const html = await (await (await visit.loginPage()).get()).text()

    expect(html).not.toContain('<Jane>')
    expect(html).toContain('&#60;Jane&#62; &#38; &#34;Co&#34;')
  })

  it('needs no script and allows none', async () => {
    const response = await (await visit.loginPage()).get()

    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(await response.text()).not.toContain('<script')
  })

  it.each([
    ['cancels', { cancel: 'yes' }],
    ['claims to be nobody known', { person: '99' }],
    ['says nothing', {}],
  ])('denies access when one %s', async (_, form) => {
    const page = await visit.loginPage()
    const { parameters } = redirected(await page.resume(await page.post(form)))

    expect(parameters).toMatchObject({ error: 'access_denied', state: 'a-state' })
  })

  it('tells when a sign-in is over', async () => {
    const response = await fetch(`${server.issuer}/interaction/of-yesterday`)

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('This sign-in is over')
  })
})
