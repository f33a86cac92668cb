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
  it('writes names as text, never as markup', async () => {
    const html = await (await (await visit.loginPage()).get()).text()

    expect(html).not.toContain('<Jane>')
    expect(html).toContain('&#60;Jane&#62; &#38; &#34;Co&#34;')
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
})
