import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../src/jsonapi/access.ts'
import { fieldNames, fieldTree } from '../../../src/jsonapi/fields.ts'
import { resourceText } from '../../../src/jsonapi/render.ts'
import type { ResourceRecord } from '../../../src/jsonapi/store.ts'
import { viewOf } from '../../../src/jsonapi/view.ts'
import { articles } from '../db/second-domain/articles.ts'
import { client, person } from './requests.ts'

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
    author: { links: [{ id: 'p1' }], more: false },
    contributors: { links: [], more: false },
    tags: { links: [{ id: 't1' }, { id: 't2' }], more: false },
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
          const text = resourceText('/root', view, fresh)
          expect(resourceText('/root', view, lasting)).toBe(text)
          expect(resourceText('/root', viewFor(principal, fields), lasting)).toBe(text)
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
      get type() {
        written++
        return 'articles'
      },
    }
    const show = (fields: readonly string[]) => {
      for (const field of fields) {
        resourceText('/root', viewFor(reader(), [field]), lasting)
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
