import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { Attribute } from '../../../../src/jsonapi/declare/resource.ts'
import { queryRules } from '../../../../src/jsonapi/request/parameters.ts'
import { queryReader } from '../../../../src/jsonapi/request/query.ts'
import { endpointOf, readSent } from '../run/readers.ts'

it('a query reader makes the schema of a parameter when it is first sent, and once', () => {
  let made = 0
  const { attributes, ...rest } = endpointOf('tags.list').definition
  const label = { ...(attributes.label as Attribute), filter: () => z.string(`${++made}`) }
  const definition = { ...rest, attributes: { ...attributes, label }, relationships: {} }
  const endpoint = { ...endpointOf('tags.list'), subject: definition }
  const reader = queryReader(queryRules(createRegistry([definition]), endpoint))
  readSent(reader, { sort: 'kind', 'page[cursor]': 'x' })
  expect(made).toBe(0)
  readSent(reader, { 'filter[label]': 'a' })
  readSent(reader, { 'filter[label]': 'b' })
  expect(made).toBe(1)
})
