import { describe, expect, it } from 'vitest'
import type { Identifier } from '../../support/documents.ts'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import { clientToken, get, person, uniquePerson } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

/** Scopes by relationship. */
const scopes = [
  ['citizenships', 'users.citizenships.read', 'users.read users.write'],
  ['placeOfBirth', 'users.read', 'users.citizenships.read users.write'],
  ['relatives', 'users.read', 'users.citizenships.read users.write'],
].flatMap(([name, scope = '', others = '']) =>
  [`/users/1/relationships/${name}`, `/users/1/${name}`].map((path) => ({ path, scope, others })),
)

it.each(scopes)(
  'GET $path is open to a person with $scope, and closed to others: the challenge names the scope',
  async ({ path, scope, others }) => {
    expect((await get(path, (await uniquePerson(scope)).token)).status).toBe(200)
    for (const token of [await clientToken(), await person('1', others)]) {
      const { faults, headers } = await get(path, token)
      expect(faults).toEqual(['403 INSUFFICIENT_ENTITLEMENTS header Authorization'])
      const challenge = new RegExp(`^Bearer .*error="insufficient_scope".*scope="${scope}"`)
      expect(headers['www-authenticate']).toMatch(challenge)
    }
  },
)

const made = ['Zoe', 'Ada', 'Bo'].map(async (fullName) => {
  const relationships = { citizenships: toCountries(fullName === 'Bo' ? 'DK' : 'PA') }
  return [fullName, (await createUser({ attributes: { fullName }, relationships })).id] as const
})
/** Ids of relatives by their names. */
const kin: Readonly<Record<string, string>> = Object.fromEntries(await Promise.all(made))
const user = await createUser({
  relationships: {
    citizenships: toCountries('PA', 'FI', 'NO'),
    placeOfBirth: { data: { type: 'countries', id: 'SE' } },
    relatives: toBrothers(...Object.values(kin)),
  },
})

describe('linkage and related resources', () => {
  /** Ids, where names stand for those of relatives. */
  const ids = (text: string) => text.split(' ').map((name) => kin[name] ?? name)

  it.each([
    ['citizenships', 'FI NO PA'],
    ['citizenships?filter[region]=europe', 'FI NO'],
    ['citizenships?filter[id]=NO,XX,PA', 'NO PA'],
    ['relatives?sort=fullName', 'Ada Bo Zoe'],
    ['relatives?sort=-fullName', 'Zoe Bo Ada'],
    ['relatives?sort=fullName&filter[id]=nobody,{Zoe},{Bo}', 'Bo Zoe'],
  ])('%s are %s, as linkage and as resources', async (below, members) => {
    const named = below.replace(/\{(\w+)\}/g, (_, name) => kin[name] ?? '')
    for (const path of [`relationships/${named}`, named]) {
      const answer = await get(`/users/${user.id}/${path}`, user.token)
      expect(idsOf(answer)).toEqual(ids(members))
      const [first] = answer.document.data
      expect('links' in first).toBe(path === named)
      expect(first.meta).toEqual(
        below.startsWith('relatives') && path !== named
          ? { relationshipType: 'BROTHER' }
          : undefined,
      )
    }
  })

  it('have links to each other, and pages', async () => {
    const path = `/jsonapi/users/${user.id}`
    const linkage = await get(`/users/${user.id}/relationships/relatives`, user.token)
    expect(linkage.document.links).toEqual({
      self: `${path}/relationships/relatives`,
      related: `${path}/relatives`,
      first: `${path}/relationships/relatives`,
      ...{ prev: null, next: null, last: null },
    })
    expect(idsOf(linkage)).toEqual(Object.values(kin).toSorted())
    const options = { token: user.token }
    const pages = await walk(`${path}/relatives?sort=fullName&page[limit]=2`, options)
    expect(pages.map((page) => idsOf(page))).toEqual([ids('Ada Bo'), ids('Zoe')])
  })

  it('to one are a resource or its identifier, and null where there is none', async () => {
    const linkage = { type: 'countries', id: 'SE' }
    const read = async (id: string | undefined, path: string) =>
      (await get(`/users/${id}/${path}`, user.token)).document.data
    expect(await read(user.id, 'relationships/placeOfBirth')).toEqual(linkage)
    expect(await read(user.id, 'placeOfBirth')).toMatchObject({
      ...linkage,
      attributes: { region: 'Europe' },
    })
    expect(await read(kin.Bo, 'relationships/placeOfBirth')).toBeNull()
    expect(await read(kin.Bo, 'placeOfBirth')).toBeNull()
  })

  it.each([
    [
      '?include=citizenships.currencies,relatives.citizenships',
      'Ada Bo DK EUR FI NO NOK PA PAB USD Zoe',
    ],
    ['/relatives?include=citizenships&sort=fullName&page[limit]=1', 'PA'],
    ['/relationships/relatives?include=relatives.citizenships&filter[id]={Bo}', 'Bo DK'],
    ['/relationships/citizenships?include=citizenships&filter[region]=europe', 'FI NO'],
    ['/relationships/placeOfBirth?include=placeOfBirth.currencies', 'SE SEK'],
  ])('%s includes %s, each once, with the fields that are asked for', async (below, names) => {
    const path = below.replace(/\{(\w+)\}/g, (_, name) => kin[name] ?? '')
    const fields = 'fields[countries]=name&fields[users]=relatives&fields[currencies]='
    const { document } = await get(`/users/${user.id}${path}&${fields}`, user.token)
    const included = document.included ?? []
    const text = (one: Identifier) => one.id
    expect(included.map(text).toSorted()).toEqual(ids(names).toSorted())
    for (const { type, attributes = {}, relationships = {} } of included) {
      expect(Object.keys({ ...attributes, ...relationships })).toEqual(
        { countries: ['name'], users: ['relatives'] }[type] ?? [],
      )
    }
  })
})
