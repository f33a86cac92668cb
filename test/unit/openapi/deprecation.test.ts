import { describe, expect, it } from 'vitest'
import { openApi } from '../../../src/openapi/document.ts'
import { readDescription, type SchemaObject } from '../../http/description/read-description.ts'
import { registry } from '../db/second-domain/registry.ts'
import { about, describeLibrary, headers, json } from './library.ts'

const addresses = { server: 'https://service.example/root', authUrl: 'https://login.example' }

/** The description of the second domain. Each test makes it anew, so that each of them runs what it is about. */
function described() {
  const read = readDescription(openApi(registry, about, { ...addresses, headers }))
  return { ...read, schemas: read.document.components.schemas as Record<string, SchemaObject> }
}

/** The names of the headers of an answer that tell of deprecations. */
const told = (answer: { readonly headers: object } | undefined) =>
  Object.keys(answer?.headers ?? {}).filter((name) =>
    ['Deprecation', 'Sunset', 'Link'].includes(name),
  )

describe('What is deprecated in a description (contract, section 20)', () => {
  it('is each operation that is declared so, and the one that goes with it', () => {
    const { operations, operationOf } = described()
    const marked = operations.filter(({ deprecated }) => deprecated)
    expect(marked.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /people/{id}',
      'GET /people/{id}/favourite',
      'GET /people/{id}/relationships/favourite',
    ])
    expect(operationOf('people.favourite.readOne').description).toMatch(
      /^Deprecated from 2026-03-01 on\. It may be gone from 2026-12-31 on\. \[What to use instead\]\(https:\/\/service\.example\/guides\/favourites\)\.\n\n/,
    )
  })

  it('is each attribute that is declared so, in answers and in bodies', () => {
    const { schemas } = described()
    const shown = schemas.Articles?.properties?.attributes?.properties
    expect(shown?.handle).toMatchObject({
      deprecated: true,
      description:
        'Deprecated from 2026-01-15 on. It may be gone from 2027-01-15 on. Shown to a person with `articles.read`.',
    })
    expect(shown?.title).not.toHaveProperty('deprecated')
    for (const body of ['ArticlesCreate', 'ArticlesUpdate']) {
      const sent = schemas[body]?.properties?.data?.properties?.attributes?.properties
      expect(sent?.handle, body).toMatchObject({ type: 'string', deprecated: true })
      expect(sent?.title, body).not.toHaveProperty('deprecated')
    }
  })

  it('is the filter by such an attribute', () => {
    const { parameters } = described().operationOf('articles.list')
    const marked = parameters.filter(({ deprecated }) => deprecated)
    expect(marked.map(({ name }) => name)).toEqual(['filter[handle]'])
  })

  it('is told by headers of each operation that can use it', () => {
    const { operations, operationOf } = described()
    const all = ['Deprecation', 'Sunset', 'Link']
    expect(told(operationOf('articles.list').responses[200])).toEqual(all)
    expect(told(operationOf('people.favourite.readOne').responses[200])).toEqual(all)
    expect(told(operationOf('tags.list').responses[200])).toEqual([])
    const transactions = operations.find(({ path }) => path === '/operations')
    expect(told(transactions?.responses[200])).toEqual(all)
  })

  it('is nothing where nothing is declared so', () => {
    const text = JSON.stringify(describeLibrary().document)
    expect(text).toContain(json)
    expect(text).not.toContain('deprecated')
    expect(text).not.toContain('"Sunset"')
  })
})
