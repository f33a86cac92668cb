import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { problemsIn } from '../../../src/db/check.ts'
import { anyone } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { articles } from '../db/second-domain/articles.ts'
import { people } from '../db/second-domain/people.ts'
import { articles as table } from '../db/second-domain/tables.ts'
import { tags } from '../db/second-domain/tags.ts'
import { startService } from './service.ts'

const { title, handle, section } = articles.attributes

/** Articles with a motto that need not be there, in the columns of other attributes. */
const withMotto: ResourceDefinition = {
  ...articles,
  attributes: {
    title,
    handle,
    section: { ...section, stored: { column: table.section }, sortable: undefined } as never,
    motto: {
      schema: () => z.nullable(z.string().check(z.minLength(1))),
      stored: { column: table.layout, key: table.sectionFold },
      access: anyone,
      sortable: true,
      filter: () => z.string(),
    },
  },
}

const registry = createRegistry([withMotto, people, tags])
const { get, post, patch } = await startService(undefined, { registry })
const mottos = new Map<string, string>()

/** Creates an article, and remembers its motto by its id. */
async function create(motto?: string | null): Promise<string> {
  const title = `Title ${mottos.size}`
  // What is undefined is not sent.
  const attributes = { title, handle: title, section: 'News', motto }
  const { document } = await post('/articles', { data: { type: 'articles', attributes } })
  mottos.set(document.data.id, motto ?? 'none')
  return document.data.id
}

/** The mottos of all pages of one article, by cursors. */
async function inPages(query: string): Promise<string[]> {
  const found: string[] = []
  let next = `/root/articles?${query}&page[limit]=1`
  while (next) {
    const { document } = await get(next.slice('/root'.length))
    found.push(...document.data.map(({ id }: { id: string }) => mottos.get(id)))
    const { 'pagination.nextCursor': cursor } = document.meta ?? {}
    next = cursor === undefined ? '' : `/root/articles?${query}&page[cursor]=${cursor}`
  }
  return found
}

/** A text of a combining mark, which has no letters. */
const mark = '\u0301'

describe('an attribute that need not have a value, and is sorted and filtered by', () => {
  beforeAll(async () => {
    for (const motto of ['Bravo', undefined, 'alpha', null, 'Zulu']) {
      await create(motto)
    }
    const cleared = await create('Charlie')
    await patch(`/articles/${cleared}`, {
      data: { type: 'articles', id: cleared, attributes: { motto: null } },
    })
    mottos.set(cleared, 'none')
  })

  it('can be declared', () => {
    const scopes = ['articles.read', 'articles.write', 'articles.admin', 'people.write']
    expect(problemsIn(registry, scopes)).toEqual([])
  })

  it('puts what has none first, and last in descending order, on whatever page', async () => {
    const ascending = ['none', 'none', 'none', 'alpha', 'Bravo', 'Zulu']
    expect(await inPages('sort=motto')).toEqual(ascending)
    expect(await inPages('sort=-motto')).toEqual(ascending.toReversed())
    expect(await inPages('sort=motto,-title')).toEqual(ascending)
  })

  it('finds by no filter what has none', async () => {
    await create(mark)
    expect(await inPages('filter[motto]=alpha,none')).toEqual(['alpha'])
    expect(await inPages(`filter[motto]=${encodeURIComponent(mark)}`)).toEqual([mark])
    expect(await inPages('filter[motto]=')).toEqual([])
  })
})
