import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AccessRule, Principal } from '../../../../src/jsonapi/declare/access.ts'
import { fieldNames, fieldTree } from '../../../../src/jsonapi/request/fields.ts'
import { compileRenderer } from '../../../../src/jsonapi/run/render.ts'
import type { ResourceRecord } from '../../../../src/jsonapi/run/store.ts'
import { viewOf } from '../../../../src/jsonapi/run/view.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { client, person } from '../request/requests.ts'

const reader = () => person('articles.read')

const fresh: ResourceRecord = {
  type: 'articles',
  id: 'a1',
  owned: false,
  attributes: {
    title: 'T',
    handle: 'h',
    section: 's',
    words: 0,
    layout: { json: JSON.stringify({ columns: 2, budget: 'low', blocks: [{ kind: 'IMAGE' }] }) },
  },
  linkage: {
    author: { members: [{ id: 'p1' }], more: false },
    contributors: { members: [], more: false },
    tags: { members: [{ id: 't1' }, { id: 't2' }], more: false },
  },
}

const viewFor = (principal: Principal, fields?: readonly string[]) =>
  viewOf(articles, principal, fields && fieldTree(fields), {
    follows: new Set(),
    isIncluded: false,
  })

/** Fields that everybody sees, and none: nine views, one more than a resource remembers. */
const fieldsets = [...Object.keys({ ...fresh.attributes, ...fresh.linkage }), '']

describe('a resource that stays in memory', () => {
  it('reads for each caller and fieldset as one that does not, however often it was shown', () => {
    const lasting: ResourceRecord = { ...fresh, lasting: true }
    const fields = fc.option(fc.subarray(fieldNames(articles)), { nil: undefined })
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom(reader(), client('articles.read')),
        (fields, principal) => {
          const view = viewFor(principal, fields)
          const text = compileRenderer('/root', view)(fresh)
          expect(compileRenderer('/root', view)(lasting)).toBe(text)
          expect(compileRenderer('/root', viewFor(principal, fields))(lasting)).toBe(text)
          const elsewhere = compileRenderer('/elsewhere', view)(lasting)
          expect(elsewhere).toBe(text.replaceAll('"/root/', '"/elsewhere/'))
        },
      ),
    )
  })

  it('is written once for all who see the same, and remembers a bounded number of views', () => {
    let written = 0
    const lasting: ResourceRecord = {
      ...fresh,
      lasting: true,
      // Read once for each text.
      get owned() {
        written++
        return true
      },
    }
    const show = (fields: readonly string[]) => {
      for (const field of fields) {
        // A root of its own has renderers of its own, and those of other tests do not count among the most that are kept.
        compileRenderer('/bounded', viewFor(reader(), [field]))(lasting)
      }
      return written
    }
    const first = fieldsets.slice(0, 8)
    expect(show(first)).toBe(8)
    expect(show(first)).toBe(8)
    expect(show(fieldsets)).toBe(9)
    expect(show(first)).toBe(17)
  })
})

describe('a renderer', () => {
  const rendererFor = (principal: Principal, ...fields: string[]) =>
    compileRenderer('/root', viewFor(principal, fields.length > 0 ? fields : undefined))
  const machine = () => client('articles.read')

  it('is one and the same for all who see the same, whoever they are', () => {
    expect(rendererFor(person('articles.read', 'more'))).toBe(rendererFor(reader()))
    expect(rendererFor(reader(), 'title', 'tags')).toBe(rendererFor(machine(), 'tags', 'title'))
  })

  it('is another one where anything else is seen', () => {
    expect(rendererFor(machine())).not.toBe(rendererFor(reader()))
    // Both see the relationship, and one of them its linkage.
    expect(rendererFor(machine(), 'contributors')).not.toBe(rendererFor(reader(), 'contributors'))
    expect(rendererFor(reader(), 'author')).not.toBe(rendererFor(reader(), 'tags'))
    expect(rendererFor(reader(), 'layout.columns')).not.toBe(rendererFor(reader(), 'layout.blocks'))
    // Of what they own alone, one of them sees the notes.
    expect(rendererFor(machine(), 'notes')).not.toBe(rendererFor(reader(), 'notes'))
  })

  it('is another one where other members are hidden', () => {
    const rule: AccessRule = [{ scopes: ['articles.read'] }]
    const layout = { ...articles.attributes.layout, members: { budget: { access: rule } } }
    const definition = { ...articles, attributes: { layout }, relationships: {} }
    const of = (principal: Principal) =>
      compileRenderer(
        '/root',
        viewOf(definition, principal, undefined, { follows: new Set(), isIncluded: false }),
      )
    expect(of(machine())).not.toBe(of(reader()))
    expect(of(machine())).toBe(of(machine()))
  })

  it('is another one for another declaration of the same type, and for another root', () => {
    const place = { follows: new Set<string>(), isIncluded: false }
    const principal = reader()
    const other = viewOf({ ...articles }, principal, undefined, place)
    expect(compileRenderer('/root', other)).not.toBe(rendererFor(principal))
    expect(compileRenderer('/elsewhere', other)).not.toBe(compileRenderer('/root', other))
  })
})
