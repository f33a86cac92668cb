import { describe, expect, it } from 'vitest'
import { client, get, person, uniquePerson } from '../../support/service.ts'

// What linkage and related resources show, and to whom, is among what the random model compares (test/http/model).

/** Scopes by relationship. */
const scopes = [
  ['citizenships', 'users.citizenships.read', 'users.read users.write'],
  ['placeOfBirth', 'users.read', 'users.citizenships.read users.write'],
  ['relatives', 'users.read', 'users.citizenships.read users.write'],
].flatMap(([name, scope = '', others = '']) =>
  [`/users/1/relationships/${name}`, `/users/1/${name}`].map((path) => ({ path, scope, others })),
)

describe.each(scopes)('GET $path', ({ path, scope, others }) => {
  it(`is open to a person with ${scope}`, async () => {
    expect((await get(path, (await uniquePerson(scope)).token)).status).toBe(200)
  })

  it.each([
    { who: 'a client', token: () => client() },
    { who: 'a person with other scopes', token: () => person('1', others) },
  ])('is closed to $who: 403, and the challenge names the scope', async ({ token }) => {
    const { status, headers, document } = await get(path, await token())
    expect(status).toBe(403)
    expect(document.errors).toMatchObject([
      { code: 'INSUFFICIENT_ENTITLEMENTS', source: { header: 'Authorization' } },
    ])
    expect(headers['www-authenticate']).toMatch(/^Bearer /)
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(headers['www-authenticate']).toContain(`scope="${scope}"`)
  })
})
