import { describe, expect, it } from 'vitest'
import { createUser } from '../../support/people.ts'
import { clientToken, get, reader } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

describe('to-many relationships (contract, section 7)', () => {
  it('page by themselves: 20 members in the resource, a link to the rest', async () => {
    const token = await clientToken()
    const countries = idsOf(...(await walk('/jsonapi/countries', { token }))).slice(0, 45)
    const data = countries.map((id) => ({ type: 'countries', id }))
    const user = await createUser({ relationships: { citizenships: { data } } })
    const { document } = await get(`/users/${user.id}?include=citizenships`, user.token)
    const { data: shown, links } = document.data.relationships.citizenships
    expect(shown).toEqual(data.slice(0, 20))
    expect(document.included?.map(({ id }) => id)).toEqual(countries.slice(0, 20))
    const rest = await walk(links.next, { token: user.token })
    expect(rest.map((page) => idsOf(page))).toEqual([countries.slice(20, 40), countries.slice(40)])
    const all = await walk(links.self, { token: user.token })
    expect(idsOf(...all)).toEqual(countries)
    expect(all[0]?.document.links?.next).toBe(links.next)
  })

  it('have no next link in the resource while all members are shown', async () => {
    const { data } = (await get('/users/1', await reader())).document
    expect(data.relationships.relatives.links).not.toHaveProperty('next')
  })
})

describe('what is not paged (contract, section 7)', () => {
  it.each<[path: string, related?: string]>([
    ['/countries/NO'],
    ['/users/1'],
    ['/users/1/placeOfBirth'],
    ['/users/1/relationships/placeOfBirth', '/jsonapi/users/1/placeOfBirth'],
  ])('%s has links to itself and to what it names, and no meta', async (path, related) => {
    const { links, meta } = (await get(path, await reader())).document
    expect(links).toEqual({ self: `/jsonapi${path}`, ...(related && { related }) })
    expect(meta).toBeUndefined()
  })
})
