import { expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { Attribute } from '../../../../src/jsonapi/declare/resource.ts'
import { noParameters } from '../../../../src/jsonapi/request/judge-query.ts'
import { queryRules } from '../../../../src/jsonapi/request/parameters.ts'
import { queryReader } from '../../../../src/jsonapi/request/query.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { endpointOf } from '../run/readers.ts'

it('a query reader makes the schema of a parameter when it is first sent, and once', () => {
  let made = 0
  const { attributes, ...rest } = endpointOf('tags.list').definition
  const label = { ...(attributes.label as Attribute), filter: () => z.string(`${++made}`) }
  const definition = { ...rest, attributes: { ...attributes, label }, relationships: {} }
  const endpoint = { ...endpointOf('tags.list'), definition }
  const { judge } = queryReader(queryRules(createRegistry([definition]), endpoint))
  judge({ sort: 'kind', 'page[cursor]': 'x' })
  expect(made).toBe(0)
  judge({ 'filter[label]': 'a' })
  judge({ 'filter[label]': 'b' })
  expect(made).toBe(1)
})

it.each([
  ['articles.get', true],
  ['articles.update', true],
  ['articles.list', false],
])('requests to %s without a query string share one specification: %s', (name, once) => {
  const { judge, understand } = queryReader(queryRules(registry, endpointOf(name)))
  const [one, other] = ['/articles/1', '/articles/2'].map((path) =>
    understand(judge(noParameters), path),
  )
  expect(one === other).toBe(once)
  expect(one).toMatchObject({ ok: true, value: { include: undefined, filter: {}, sort: [] } })
})
