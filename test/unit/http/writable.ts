import { expect } from 'vitest'
import { article, dump, ids, insert, person, tag } from '../db/second-domain/domain.ts'
import { type Reply, startService } from './service.ts'

/** The second domain with an article of ann (`a01`), one of bob (`a02`), and people and tags to point to. */
export async function startWritable() {
  const service = await startService()
  const { d1 } = service
  await insert(d1, 'tags', ...ids('t', 3).map((id) => tag(id)))
  await insert(d1, 'people', ...ids('p', 3).map((id) => person(id)))
  await insert(d1, 'articles', article('a01', { author: 'p01' }), article('a02', { keeper: 'bob' }))
  await insert(d1, 'contributions', { article: 'a01', person: 'p01', part: 'EDITOR' })
  await insert(d1, 'follows', { follower: 'p01', followed: 'p02' })
  return {
    ...service,
    /** The data of a document. */
    linkage: async (path: string) => (await service.get(path)).document.data,
    /** A refused write: its status and problems, and that nothing has changed. */
    refused: async (write: () => Promise<Reply>) => {
      const before = await dump(d1)
      const { status, document } = await write()
      expect(await dump(d1)).toEqual(before)
      return { status, errors: document.errors }
    },
  }
}

/** A resource identifier object. */
export const identifier = (type: string, id: string, meta?: object) => ({
  type,
  id,
  ...(meta && { meta }),
})
