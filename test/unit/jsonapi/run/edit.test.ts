import { describe, expect, it } from 'vitest'
import { editOf, type Writable } from '../../../../src/jsonapi/run/edit.ts'
import type { Read } from '../../../../src/jsonapi/run/store.ts'
import { people } from '../../db/second-domain/people.ts'
import { person } from '../request/requests.ts'

describe('the edit of a create', () => {
  const create: Writable = {
    definition: people,
    operation: 'create',
    relationship: undefined,
    id: 'p1',
    payload: { attributes: { nickname: 'n' }, relationships: {} },
  }

  it('names its caller as the owner, even where the caller may write any resource of the type', () => {
    const read = {} as Read
    expect(editOf({ ...create, read }, person('people.write'))).toEqual({
      type: 'people',
      change: {
        kind: 'create',
        id: 'p1',
        attributes: { nickname: 'n' },
        relationships: {},
        read,
      },
      owner: 'ann',
      revision: expect.stringMatching(/^[0-9a-f]{24}$/),
    })
  })

  it('cannot be made without the read of the new resource, which is a mistake in the program', () => {
    expect(() => editOf(create, person('people.write'))).toThrow(
      'A create has no read of the resource that it creates',
    )
  })
})
