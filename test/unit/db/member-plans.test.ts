import { describe, expect, it } from 'vitest'
import { scansIn, startPlanned } from './planned.ts'

const { run, statementsOf, planOf } = await startPlanned()

/** A person to whom half of all people are related. */
const hub = 'id0150'
await run(
  `INSERT OR IGNORE INTO user_relatives SELECT '${hub}', id, 'SON' FROM users WHERE id < 'id0100'`,
)

const base = `/users/${hub}`
const sorted = 'USE TEMP B-TREE FOR ORDER BY'
const links = /^SEARCH l USING (?:PRIMARY KEY|COVERING INDEX \w+|INDEX \w+) \(user_id=\?/

/** The plan of the only statement of a read. */
async function plansOf(path: string) {
  const { document, statements } = await statementsOf('GET', path)
  expect(statements).toHaveLength(1)
  return { document, plan: await planOf(statements.join()) }
}

/** The plans of the first page and of the second one. */
async function bothPlans(path: string) {
  const first = await plansOf(path)
  const cursor = first.document.meta['pagination.nextCursor']
  const second = await plansOf(`${path}${path.includes('?') ? '&' : '?'}page[cursor]=${cursor}`)
  return [first.plan, second.plan]
}

describe('a page of a relationship is one statement that begins at the links of one resource', () => {
  it.each([
    [`${base}/relationships/relatives`],
    [`${base}/relationships/relatives?include=relatives`],
    [`${base}/relatives`],
    [`${base}/relatives?page[limit]=5`],
    [`${base}/relatives?include=relatives,citizenships,placeOfBirth`],
  ])('in the order of ids it goes by their index, and sorts nothing: %s', async (path) => {
    for (const plan of await bothPlans(path)) {
      expect(scansIn(plan)).toEqual([])
      expect(plan.filter((step) => links.test(step))).not.toEqual([])
      expect(plan).not.toContain(sorted)
    }
  })

  it('a later page begins behind a member in the index', async () => {
    const [, plan] = await bothPlans(`${base}/relatives`)
    expect(plan).toContainEqual(
      expect.stringMatching(/^SEARCH l USING PRIMARY KEY \(user_id=\? AND relative_id>\?\)$/),
    )
  })

  it.each(['fullName', '-fullName', 'email', '-email', 'fullName,email', '-email,fullName'])(
    'sorted by %s it finds every member by its id, and goes through no table',
    async (sort) => {
      for (const path of [`${base}/relationships/relatives`, `${base}/relatives`]) {
        for (const plan of await bothPlans(`${path}?sort=${sort}`)) {
          expect(scansIn(plan)).toEqual([])
          expect(plan).toContainEqual(expect.stringMatching(links))
          expect(plan).toContainEqual(expect.stringMatching(/^SEARCH p USING INDEX \w+ \(id=\?\)$/))
        }
      }
    },
  )

  it.each([
    [`${base}/relationships/relatives?filter[id]=id0001,id0002`],
    [`${base}/relatives?filter[id]=id0001,id0002`],
    [`${base}/relatives?filter[id]=id0001,id0002&sort=email`],
    [`${base}/relationships/citizenships?filter[id]=NO`],
    [`${base}/relationships/citizenships?filter[region]=Europe`],
    [`${base}/relationships/citizenships?filter[region]=Europe&filter[id]=NO`],
    [`${base}/citizenships?filter[region]=Europe&include=currencies`],
    [`${base}/placeOfBirth?include=currencies`],
  ])('filtered it goes through no table: %s', async (path) => {
    const { plan } = await plansOf(path)
    expect(scansIn(plan)).toEqual([])
  })
})
