import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { registry } from '../../../src/resources/index.ts'
import type { Resource } from '../../support/documents.ts'
import { allScopes, uniqueEmail } from '../../support/people.ts'
import { get, request, uniquePerson } from '../../support/service.ts'
import { tableWith } from '../description/contract.ts'
import { documentedRequest } from '../description/documented.ts'
import { description, operations } from '../description/openapi.ts'
import type { SchemaObject } from '../description/read-description.ts'

const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')

/** The names in backticks. */
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** The fields of each type in section 18; a row without a type belongs to the type above. */
const fields = new Map<string, string[]>()
for (const [type, names = ''] of tableWith('Type', 'Field', 'What it is')) {
  const above = type || ([...fields.keys()].at(-1) ?? '')
  const own = namesIn(names).filter((name) => name !== 'id')
  fields.set(above, [...(fields.get(above) ?? []), ...own].toSorted())
}

/** The names of each parameter in section 6, and of what its rule names. */
const parameters = tableWith('Parameter', 'Where', 'Rules').map((row) => row.map(namesIn))

/** The parameters of all operations. */
const described = operations.flatMap((operation) =>
  operation.parameters.filter((parameter) => parameter.in === 'query'),
)

describe('the contract', () => {
  it('names in section 18 the fields that are described of each type, and no others', () => {
    const resources = Object.values<SchemaObject>(description.components.schemas)
      .map(({ properties = {} }) => properties)
      .filter(({ type, attributes }) => type?.enum && attributes)
      .map(({ type, attributes, relationships }) => [
        type?.enum?.[0],
        [attributes, relationships].flatMap((all) => Object.keys(all?.properties ?? {})).toSorted(),
      ])
    expect(Object.fromEntries(fields)).toEqual(Object.fromEntries(resources))
  })

  it('names in section 6 each parameter and each sort', () => {
    const told = parameters.flatMap(([names = []]) => names)
    const names = described.map(({ name }) => name.replace(/^fields\[.*/, 'fields[type]'))
    expect(new Set(told)).toEqual(new Set(names))
    const sorts = described.flatMap(({ name, schema }) =>
      name === 'sort' ? (schema.items?.enum ?? []).map((key: string) => key.replace('-', '')) : [],
    )
    const [, , rules] = parameters.find(([names]) => names?.includes('sort')) ?? []
    expect(rules).toEqual(expect.arrayContaining(sorts))
  })

  it('names in section 1 each path', () => {
    const told = tableWith('#', 'Operation', 'Who may call it').join()
    const isTold = (path: string) =>
      told.includes(path) || told.includes(`…${path.slice(path.lastIndexOf('/'))}`)
    const paths = Object.keys(description.paths)
    expect(paths.filter((path) => !isTold(path))).toEqual([])
  })
})

it('The changelog names each type, each field and each filter', () => {
  const isTold = (name: string) =>
    new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, 'i').test(changelog)
  const filters = described.flatMap(({ name }) => (name.startsWith('filter[') ? name : []))
  const names = new Set([...fields.keys(), ...[...fields.values()].flat(), ...filters])
  expect([...names].filter((name) => !isTold(name))).toEqual([])
})

it('Each filter has an example of its own in the description', () => {
  const without = described.filter(({ name, schema: { items }, example }) => {
    const given = items ? ('$ref' in items ? example : (items.enum ?? items.example)) : example
    return name.startsWith('filter[') && given === undefined
  })
  expect(without).toEqual([])
})

const types = registry.types.filter((type) => registry.get(type).operations.list)

it.each(types)(
  'the collection of %s shows the fields of section 18, and no others',
  async (type) => {
    const { token } = await uniquePerson(allScopes)
    const made: Resource[] = []
    const create = operations.find(({ path, method }) => path === `/${type}` && method === 'POST')
    if (create) {
      const { data } = documentedRequest(create).body as { data: Resource }
      const attributes = {
        ...data.attributes,
        ...(data.attributes?.email && { email: uniqueEmail() }),
      }
      const body = { data: { type, attributes } }
      made.push((await request('POST', `/jsonapi/${type}`, { token, body })).document.data)
    }
    const { data } = (await get(`/${type}`, token)).document
    const names = [...made, ...data].flatMap(({ attributes, relationships }: Resource) =>
      Object.keys({ ...attributes, ...relationships }),
    )
    expect([...new Set(names)].toSorted()).toEqual(fields.get(type))
  },
)
