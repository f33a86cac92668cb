import { expect, it } from 'vitest'
import { contributors, populated, refused } from './changes.ts'
import { ids, insert, person } from './second-domain/domain.ts'

it('A relationship may have more members than a quota that was lowered: nothing comes in, everything else goes', async () => {
  const { d1, write } = await populated(undefined, { quotas: { owned: 2, members: 3 } })
  const people = ids('q', 5)
  await insert(d1, 'people', ...people.map((id) => person(id)))
  const rows = people.map((id) => ({ article: 'a', person: id, part: 'EDITOR' }))
  await insert(d1, 'contributions', ...rows)
  const full = refused({ kind: 'full', relationship: 'contributors', max: 3 })
  expect(await write(contributors('add', 'a', ['q01', 'p02']))).toEqual(full)
  expect(await write(contributors('add', 'a', ['q01', 'q05']))).toMatchObject({ kind: 'done' })
  expect(await write(contributors('remove', 'a', ['q01']))).toMatchObject({ kind: 'done' })
  expect(await write(contributors('update', 'a', ids('q', 4)))).toEqual(full)
  expect(await write(contributors('update', 'a', ids('q', 3)))).toMatchObject({ kind: 'done' })
})
