import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { startService } from '../http/service.ts'
import { articles } from './second-domain/articles.ts'
import { people } from './second-domain/people.ts'
import { articles as table } from './second-domain/tables.ts'
import { tags } from './second-domain/tags.ts'

it('an attribute without a value is first in a sort, and no filter finds it', async () => {
  const { title, handle, section } = articles.attributes
  const motto = {
    schema: () => z.nullable(z.string().check(z.minLength(1))),
    stored: { column: table.layout, key: table.sectionFold },
    access: title.access,
    sortable: true,
    filter: () => z.string(),
  } as const
  const plain = { ...section, stored: { column: table.section }, sortable: undefined } as never
  const attributes = { title, handle, section: plain, motto }
  const registry = createRegistry([{ ...articles, attributes }, people, tags])
  const { get, post } = await startService(undefined, { registry })
  // A combining mark has no letters.
  const mark = '\u0301'
  for (const motto of ['Bravo', undefined, 'alpha', null, mark]) {
    const sent = { title: `Title ${motto}`, handle: `${motto}`, section: 'News', motto }
    await post('/articles', { data: { type: 'articles', attributes: sent } })
  }
  const mottos = async (query: string) =>
    (await get(`/articles?${query}`)).document.data.map(
      ({ attributes }: { attributes: { motto?: string } }) => attributes.motto,
    )
  expect((await mottos('sort=motto')).slice(-2)).toEqual(['alpha', 'Bravo'])
  expect((await mottos('sort=-motto')).slice(0, 2)).toEqual(['Bravo', 'alpha'])
  expect(await mottos(`filter[motto]=${encodeURIComponent(mark)}`)).toEqual([mark])
  expect(await mottos('filter[motto]=')).toEqual([])
})
