import { expect, it } from 'vitest'
import { judgeParameters, readQuery } from '../../../src/http/query.ts'
import { queryRules } from '../../../src/jsonapi/request/parameters.ts'
import { queryReader } from '../../../src/jsonapi/request/query.ts'
import { registry } from '../db/second-domain/registry.ts'
import { endpointOf } from '../jsonapi/run/readers.ts'

it('requests without a query string are judged once for their endpoint, and others each for itself', () => {
  const { judge } = queryReader(queryRules(registry, endpointOf('tags.list')))
  const judged = (search: string) => judgeParameters(readQuery(search), judge)
  expect(judged('')).toBe(judged(''))
  expect(judged('')).toMatchObject({ values: {}, problems: [], hasScope: true })
  expect(judged('sort=kind')).not.toBe(judged('sort=kind'))
  expect(judged('')).toMatchObject({ values: {}, problems: [] })
})
