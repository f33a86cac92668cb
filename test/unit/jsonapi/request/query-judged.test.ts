import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import type { Attribute } from '../../../../src/jsonapi/declare/resource.ts'
import { encodeCursor } from '../../../../src/jsonapi/request/cursor.ts'
import { parameters, queryRules } from '../../../../src/jsonapi/request/parameters.ts'
import {
  queryReader,
  type SentParameters,
  validateQuery,
} from '../../../../src/jsonapi/request/query.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { endpointOf, openedQuery, readSent, told } from '../run/readers.ts'
import { client, person } from './requests.ts'

const list = 'articles.list'

/** Judges the parameters of a list of articles one by one. */
const judged = (sent: SentParameters) =>
  validateQuery(
    { sent, faults: { problems: [], omitted: 0 } },
    parameters(queryRules(registry, endpointOf(list))),
  )

describe('the filters of a query', () => {
  it.each<[sent: SentParameters, filters: string[]]>([
    [{ include: 'author', 'fields[articles]': 'title' }, []],
    [{ 'filter[handle]': 'a', 'filter[id]': '' }, ['handle', 'id']],
    // A caller who may not use them is told so together with what else is wrong with them.
    [{ 'filter[handle]': 'a,,b', 'page[limit]': 'x' }, ['handle']],
    [{ 'filter[id]': ['a', 'b'] }, ['id']],
    [{ 'filter[nothing]': 'a', 'xfilter[handle]': 'a' }, []],
  ])('are named even where other things are wrong: %j', (sent, filters) => {
    expect(judged(sent).filters).toEqual(filters)
  })
})

describe('the sort of a query', () => {
  it.each([
    [person('articles.read'), ['title', 'handle']],
    [client('articles.read'), ['title']],
  ])('has the keys that its caller may read: %j', async (principal, fields) => {
    const reader = queryReader(queryRules(registry, endpointOf(list)))
    const { verdict } = await readSent(reader, { sort: 'title,-handle' }, '/path', principal)
    expect(verdict.ok && verdict.value.sort.map(({ field }) => field)).toEqual(fields)
  })
})

describe('the faults of the encoding', () => {
  const broken = {
    code: 'VALUE_INVALID_FORMAT',
    detail: 'Broken.',
    source: { parameter: 'a' },
  } as const

  it('come before all others, and make the query invalid', async () => {
    const { read } = queryReader(queryRules(registry, endpointOf(list)))
    const query = { sent: { sort: 'nothing' }, faults: { problems: [broken], omitted: 2 } }
    const { verdict } = await read(query, '/path', person(), sealer)
    expect(verdict).toMatchObject({ ok: false, omitted: 2 })
    expect(told(verdict)).toEqual(['VALUE_INVALID_FORMAT a', 'INVALID_ENUM_VALUE sort'])
    const alone = await read({ ...query, sent: {} }, '/path', person(), sealer)
    expect(told(alone.verdict)).toEqual(['VALUE_INVALID_FORMAT a'])
  })
})

describe('the values of a query', () => {
  it('are those of its valid parameters, beside the faults of the others', () => {
    const { values, problems } = judged({ sort: '-title', 'page[limit]': '7', include: 'nothing' })
    expect(values).toEqual({ sort: ['-title'], 'page[limit]': 7 })
    expect(problems).toHaveLength(1)
  })

  it('lack a parameter that could not be decoded, whose fault was told where the query was read', () => {
    const verdict = judged({ sort: null, 'page[limit]': '7' })
    expect(told(verdict)).toEqual([])
    expect(verdict.values).toEqual({ 'page[limit]': 7 })
  })
})

describe('a cursor is compared only where sort and filters are valid (contract, section 2)', () => {
  const foreign = encodeCursor('another scope', 'a1', 20)
  const mismatch = 'VALUE_INVALID_FORMAT page[cursor]'

  it.each<[query: Record<string, string>, problems: string[]]>([
    [{}, [mismatch]],
    [{ 'fields[articles]': 'nothing' }, ['INVALID_ENUM_VALUE fields[articles]', mismatch]],
    [{ sort: 'title' }, [mismatch]],
    [{ sort: 'nothing' }, ['INVALID_ENUM_VALUE sort']],
    [{ 'filter[section]': ',' }, ['VALUE_INVALID_FORMAT filter[section]']],
    [{ sort: 'nothing', 'filter[id]': 'a' }, ['INVALID_ENUM_VALUE sort']],
  ])('with %j beside it', async (query, problems) => {
    const verdict = await openedQuery(list, { ...query, 'page[cursor]': foreign })
    expect(told(verdict)).toEqual(problems)
  })
})

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
