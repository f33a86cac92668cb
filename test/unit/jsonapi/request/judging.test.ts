import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FaultList, maxErrors } from '../../../../src/jsonapi/problems.ts'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { add, judge, on } from '../atomic/transactions.ts'
import { endpointOf, readQuery, verdictOf } from '../run/readers.ts'

/** What a verdict holds at most, whatever was sent. */
function demandBounded({ faults: { problems } }: { readonly faults: FaultList }): void {
  expect(problems.length).toBeLessThanOrEqual(maxErrors)
  for (const { detail, source } of problems) {
    expect(detail.length).toBeLessThan(1_500)
    expect(Object.values(source ?? {}).join().length).toBeLessThanOrEqual(256)
  }
}

afterEach(() => vi.restoreAllMocks())

describe('the work of judging does not grow with the number of faults', () => {
  const items = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`)

  it.each(['fields[articles]', 'include', 'sort', 'filter[id]', 'filter[section]'])(
    '%s is split once, and no more of what is wrong is spelled than is told',
    async (name) => {
      const split = vi.spyOn(String.prototype, 'split')
      const spell = vi.spyOn(JSON, 'stringify')
      for (const value of [','.repeat(15_900), items(3_000).join()]) {
        split.mockClear()
        spell.mockClear()
        demandBounded(await readQuery('articles.list', { [name]: value }))
        expect(split).toHaveBeenCalledTimes(1)
        // One more for the query that a cursor would belong to.
        expect(spell.mock.calls.length).toBeLessThanOrEqual(maxErrors + 1)
      }
    },
  )

  it('spells no more than 50 of thousands of names, in queries and bodies', async () => {
    const spell = vi.spyOn(JSON, 'stringify')
    const names = Object.fromEntries(items(3_000).map((name) => [name, '']))
    demandBounded(await readQuery('articles.list', names))
    const { definition, operation } = endpointOf('articles.create')
    const read = bodyReader(definition, operation, undefined)
    spell.mockClear()
    for (const data of [names, { attributes: names }, { relationships: names }]) {
      spell.mockClear()
      demandBounded(verdictOf((faults) => read({ data }, undefined, faults)))
      expect(spell.mock.calls.length).toBeLessThanOrEqual(maxErrors + 1)
    }
  })

  it('validates no operation of a transaction behind the fiftieth fault', () => {
    const looked = vi.fn()
    const data = {
      type: 'articles',
      get attributes() {
        return looked()
      },
    }
    const faulty = (identifiers: number) => ({
      op: 'update',
      ref: on('contributors'),
      data: Array(identifiers).fill({}),
    })
    demandBounded(judge([faulty(100), add(data)]))
    expect(looked).not.toHaveBeenCalled()
    demandBounded(judge([faulty(1), add(data)]))
    expect(looked).toHaveBeenCalled()
  })

  it('looks at no more identifiers than a body may have', () => {
    const { definition, operation } = endpointOf('articles.contributors.addMany')
    let looks = 0
    const identifier = Object.defineProperty({ type: 'people' }, 'id', {
      enumerable: true,
      get: () => `p${++looks}`,
    })
    const read = bodyReader(definition, operation, 'contributors')
    const body = { data: Array(100_000).fill(identifier) }
    demandBounded(verdictOf((faults) => read(body, 'a1', faults)))
    expect(looks).toBeLessThan(1_000)
  })
})
