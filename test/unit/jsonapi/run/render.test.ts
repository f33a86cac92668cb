import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldNames, fieldTree } from '../../../../src/jsonapi/request/fields.ts'
import { resourceWriter } from '../../../../src/jsonapi/run/render.ts'
import type { Member, ResourceRecord } from '../../../../src/jsonapi/run/store.ts'
import { showsSensitive, viewOf } from '../../../../src/jsonapi/run/view.ts'
import type { Resource } from '../../../support/documents.ts'
import { anyText } from '../../../support/texts.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { client, person } from '../request/requests.ts'
import { specOf } from './readers.ts'

const reader = () => person('articles.read')

const members = (...ids: string[]): { members: Member[]; more: boolean } => ({
  members: ids.map((id) => ({ id })),
  more: false,
})

const layout = {
  columns: 2,
  budget: 'low',
  blocks: [{ kind: 'TEXT', body: 'b' }, { kind: 'IMAGE' }],
}
const shown = { title: 'T', handle: 'h', section: 's', words: 0, layout, notes: 'n' }

/** A value as a store hands it over that keeps it as JSON. */
const json = (value: unknown) => ({ json: JSON.stringify(value) })

const record: ResourceRecord = {
  type: 'articles',
  id: 'a1',
  owned: true,
  attributes: { ...shown, layout: json(layout) },
  linkage: { author: members('p1'), contributors: members(), tags: members('t1', 't2') },
}

const viewFor = (principal = reader(), fields?: readonly string[]) =>
  viewOf(articles, principal, fields && fieldTree(fields), {
    follows: new Set(),
    isIncluded: false,
  })

const render = (
  of: Partial<ResourceRecord>,
  principal = reader(),
  fields?: readonly string[],
): Resource =>
  JSON.parse(resourceWriter('/root', viewFor(principal, fields))('', { ...record, ...of }))

describe('attributes (contract, sections 4, 8 and 18)', () => {
  it('are all there for the owner', () => {
    expect(render({}).attributes).toEqual(shown)
  })

  it('hide single members from who is not the owner', () => {
    const { budget: _, ...visible } = layout
    expect(render({ owned: false }).attributes).toEqual({
      title: 'T',
      handle: 'h',
      section: 's',
      words: 0,
      layout: visible,
    })
  })

  it.each([
    [null],
    [undefined],
    [{}],
    [[]],
    [{ blocks: [] }],
    [{ columns: null }],
    [{ budget: 'low' }],
  ])('without a value are omitted: layout %j', (value) => {
    const layout = value && json(value)
    const attributes = { title: 'T', words: null, layout, notes: undefined }
    expect(render({ owned: false, attributes }).attributes).toEqual({ title: 'T' })
  })

  it('go out as they are stored where all of them is shown, and in part otherwise', () => {
    const attributes = { layout: { json: '{ "columns": 2, "budget": "low" }' } }
    const text = (owned: boolean, fields: string[]) =>
      resourceWriter('/root', viewFor(reader(), fields))('', { ...record, owned, attributes })
    expect(text(true, ['layout'])).toContain('"layout":{ "columns": 2, "budget": "low" }')
    expect(text(true, ['layout.columns'])).toContain('"layout":{"columns":2}')
    expect(text(false, ['layout'])).toContain('"layout":{"columns":2}')
  })

  it('keep values that are merely false or empty', () => {
    const attributes = { title: '', words: 0, layout: { columns: 0 } }
    const stored = { ...attributes, layout: json(attributes.layout) }
    expect(render({ attributes: stored }).attributes).toEqual(attributes)
  })

  it('are no member at all where none is visible', () => {
    expect(render({ attributes: { notes: 'n' } }, client())).not.toHaveProperty('attributes')
    expect(render({}, reader(), ['author'])).not.toHaveProperty('attributes')
  })
})

describe('sparse fieldsets (contract, section 6)', () => {
  it.each<[fields: string[], attributes: object | undefined, relationships: string[] | undefined]>([
    [[], undefined, undefined],
    [['title'], { title: 'T' }, undefined],
    [['title', 'author'], { title: 'T' }, ['author']],
    [['layout.columns'], { layout: { columns: 2 } }, undefined],
    [['layout.blocks.body'], { layout: { blocks: [{ body: 'b' }] } }, undefined],
  ])('show nothing but %j', (fields, attributes, relationships) => {
    const resource = render({}, reader(), fields)
    expect(resource.attributes).toEqual(attributes)
    expect(resource.relationships && Object.keys(resource.relationships)).toEqual(relationships)
    expect(resource).toMatchObject({ type: 'articles', id: 'a1' })
  })

  it('never bring back a member that is hidden', () => {
    const resource = render({ owned: false }, reader(), ['layout.budget', 'notes'])
    expect(resource).not.toHaveProperty('attributes')
  })

  it('give a part of what is shown without them', () => {
    const whole = render({})
    fc.assert(
      fc.property(fc.subarray(fieldNames(articles)), fc.boolean(), (fields, owned) => {
        const part = render({ owned }, reader(), fields)
        expect(isPart(part, whole)).toBe(true)
      }),
    )
  })
})

describe('relationships (JSON:API 1.1, "Resource Objects"; contract, section 7)', () => {
  const self = (name: string) => `/root/articles/a1/relationships/${name}`
  const links = (name: string) => ({ self: self(name), related: `/root/articles/a1/${name}` })

  it('carry linkage and their links: null for an empty to-one, [] for an empty to-many', () => {
    const { relationships } = render({ linkage: { ...record.linkage, author: members() } })
    expect(relationships).toEqual({
      author: { links: links('author'), data: null },
      contributors: { links: links('contributors'), data: [] },
      tags: {
        links: links('tags'),
        data: [
          { type: 'tags', id: 't1' },
          { type: 'tags', id: 't2' },
        ],
      },
    })
  })

  it('carry meta in each identifier', () => {
    const contributors = {
      members: [{ id: 'p1', meta: { json: '{"part":"EDITOR"}' } }],
      more: false,
    }
    const { relationships } = render({ linkage: { ...record.linkage, contributors } })
    expect(relationships?.contributors?.data).toEqual([
      { type: 'people', id: 'p1', meta: { part: 'EDITOR' } },
    ])
  })

  it('have links only where the linkage is hidden', () => {
    expect(render({}, client('articles.read')).relationships?.contributors).toEqual({
      links: links('contributors'),
    })
  })

  it('say where more is: the next page, or the whole where the endpoint does not page', () => {
    const more = { ...members('x1'), more: true }
    const { relationships } = render({
      linkage: { author: members(), contributors: more, tags: more },
    })
    const [path = '', cursor = ''] =
      relationships?.contributors?.links?.next?.split('?page%5Bcursor%5D=') ?? []
    expect(path).toBe(self('contributors'))
    const query = { 'page[cursor]': cursor }
    expect(specOf('articles.contributors.readMany', query, path).page.after).toEqual(['x1'])
    expect(relationships?.tags?.links).toEqual({ ...links('tags'), next: self('tags') })
  })
})

describe('links.self (contract, section 8)', () => {
  it('is there where the type has an item endpoint, and only there', () => {
    expect(render({}).links).toEqual({ self: '/root/articles/a1' })
    const { get: _, ...operations } = tags.operations
    const view = viewOf({ ...tags, operations }, client(), undefined, {
      follows: new Set(),
      isIncluded: false,
    })
    const tag = { ...record, type: 'tags', attributes: {}, linkage: {} }
    expect(JSON.parse(resourceWriter('/root', view)('', tag))).not.toHaveProperty('links')
  })
})

describe('strings', () => {
  it('come out as they were stored, whatever they hold', () => {
    fc.assert(
      fc.property(anyText(), (title) => {
        const attributes = { title, layout: json({ budget: title }) }
        expect(render({ attributes }).attributes).toEqual({ title, layout: { budget: title } })
      }),
    )
  })
})

describe('an answer is sensitive', () => {
  const isSensitive = (
    of: Partial<ResourceRecord>,
    principal = reader(),
    fields?: readonly string[],
  ) => showsSensitive(viewFor(principal, fields), { ...record, ...of })

  it('when a sensitive value is seen, not when there is none or it is hidden', () => {
    expect(isSensitive({})).toBe(true)
    expect(isSensitive({ attributes: { notes: null } })).toBe(false)
    expect(isSensitive({ attributes: {} })).toBe(false)
    expect(isSensitive({ owned: false })).toBe(false)
    expect(isSensitive({}, client('articles.read'))).toBe(false)
    expect(isSensitive({}, reader(), ['title'])).toBe(false)
  })
})

/** Does the whole hold everything of the part? Items of arrays may be missing from the part. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) {
    return part === whole
  }
  const wholes = Object.entries(whole ?? {})
  return Object.entries(part).every(([name, member]) =>
    wholes.some(
      ([other, value]) => (Array.isArray(part) || other === name) && isPart(member, value),
    ),
  )
}
