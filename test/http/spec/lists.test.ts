import { describe, expect, it } from 'vitest'
import { get, reader } from '../../support/service.ts'

/** The lists of the users' collection, with one valid item and one invalid one. */
const lists = [
  { name: 'include', good: 'relatives', bad: 'friends', most: 10 },
  { name: 'sort', good: 'email', bad: 'age', most: 5 },
  { name: 'fields[users]', good: 'email', bad: 'age', most: undefined },
  { name: 'filter[id]', good: '1', bad: undefined, most: 20 },
]

describe('lists are read by one rule (contract, section 6)', () => {
  it.each(lists)('an empty $name is an empty list', async ({ name }) => {
    expect((await get(`/users?${name}=`, await reader())).status).toBe(200)
  })

  it.each(lists)('empty items of $name are an error, told once', async ({ name, good }) => {
    for (const value of [',', `${good},`, `,${good}`, `${good},,,${good}`]) {
      const answer = await get(`/users?${name}=${value}`, await reader())
      expect(answer.status).toBe(400)
      expect(answer.document.errors).toMatchObject([
        { code: 'VALUE_INVALID_FORMAT', source: { parameter: name } },
      ])
    }
  })

  it.each(lists)(
    '$name is counted with duplicates, and judged no further than $most items',
    async ({ name, good, bad, most = 600 }) => {
      const items = (count: number) => Array(count).fill(good)
      const filled = await get(`/users?${name}=${items(most)}`, await reader())
      expect(filled.status).toBe(200)
      if (most < 600) {
        const long = [bad ?? good, ...items(most - 1), 'beyond', '']
        const { document } = await get(`/users?${name}=${long}`, await reader())
        const parts = [`at most ${most} items`, ...(bad ? [`"${bad}"`] : [])]
        expect(document.errors?.map(({ detail }) => detail)).toEqual(
          parts.map((part) => expect.stringContaining(part)),
        )
      }
    },
  )
})
