import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { article, ids, insert, person, tag } from '../db/second-domain/domain.ts'
import { type Reply, startService } from './service.ts'

/** The second domain with 25 of each type; the first ones (`a01`, `p01`, `t01`) have every attribute and relationship. */
export async function startReadable(registry?: Registry) {
  const service = await startService(undefined, registry && { registry })
  const { d1, cipher } = service
  const tags = ids('t', 25).map((id) => tag(id, { kind: id < 't03' ? 'rare' : 'plain' }))
  await insert(d1, 'tags', ...tags)
  for (const neighbour of ids('t', 25).slice(1)) {
    await insert(d1, 'tag_neighbours', { tag: 't01', neighbour, weight: 'HEAVY' })
  }
  const [first = '', ...people] = ids('p', 25)
  const born = (id: string) => 2000 - Number(id.slice(1))
  await insert(d1, 'people', person(first, { born: born(first), favourite: 't02' }))
  await insert(d1, 'people', ...people.map((id) => person(id, { born: born(id) })))
  await insert(
    d1,
    'follows',
    { follower: 'p01', followed: 'p01' },
    { follower: 'p01', followed: 'p02' },
    { follower: 'p02', followed: 'p01' },
    { follower: 'p02', followed: 'p21' },
  )
  const [rich = '', ...plain] = ids('a', 25)
  const layout = { columns: 2, budget: 'low', blocks: [{ kind: 'TEXT', body: 'x' }] }
  const cells = {
    section: 'Sport',
    author: 'p01',
    layout: JSON.stringify(layout),
    notes: await cipher.encrypt('for my eyes', `articles/${rich}/notes`),
  }
  await insert(d1, 'articles', article(rich, cells), ...plain.map((id) => article(id)))
  await insert(d1, 'article_tags', { article: rich, tag: 't01' }, { article: rich, tag: 't02' })
  for (const id of ids('p', 21)) {
    await insert(d1, 'contributions', { article: rich, person: id, part: 'EDITOR' })
  }
  return service
}

/** `type/id` of the primary data, in the order it comes in. */
export const data = ({ document }: Reply) =>
  document.data.map(({ type, id }: { type: string; id: string }) => `${type}/${id}`)
