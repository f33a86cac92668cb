import { expect } from 'vitest'
import { article, dump, ids, insert, person, tag } from '../db/second-domain/domain.ts'
import { type Reply, startService } from './service.ts'

/** The second domain with an article of ann (`a01`), one of bob (`a02`), and people and tags to point to. */
export function startWritable() {
  const service = startService()
  const { sqlite } = service
  insert(sqlite, 'tags', ...ids('t', 3).map((id) => tag(id)))
  insert(sqlite, 'people', ...ids('p', 3).map((id) => person(id)))
  insert(sqlite, 'articles', article('a01', { author: 'p01' }), article('a02', { keeper: 'bob' }))
  insert(sqlite, 'contributions', { article: 'a01', person: 'p01', part: 'EDITOR' })
  insert(sqlite, 'follows', { follower: 'p01', followed: 'p02' })
  return {
    ...service,
    /** The data of a document. */
    linkage: async (path: string) => (await service.get(path)).document.data,
    /** A refused write: its status and problems, and that nothing has changed. */
    refused: async (write: () => Promise<Reply>) => {
      const before = dump(sqlite)
      const { status, document } = await write()
      expect(dump(sqlite)).toEqual(before)
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
