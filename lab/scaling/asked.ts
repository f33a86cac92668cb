import type { Asked, From, Read } from '../../src/jsonapi/run/plan.ts'

/** The request of a read, put together from its plan and its values: the inverse of `readOf`. */
export function askedOf({ plan, values }: Read): Required<Asked> {
  const { type, show, alongside, members } = plan
  return { type, from: fromOf(plan, values), show, alongside, members, viewer: values.viewer }
}

function fromOf({ from }: Read['plan'], values: Read['values']): From {
  const { ids, filter, after, offset, limit } = values
  switch (from.kind) {
    case 'ids':
      return { kind: 'ids', ids }
    case 'linkage':
      return {
        kind: 'linkage',
        id: ids[0] ?? '',
        relationship: from.relationship,
        filter,
        sort: from.sort,
        after: from.after ? after : undefined,
        limit,
      }
    case 'page': {
      const { of, sort, total } = from
      return {
        kind: 'page',
        ...(of && { of: { ...of, id: ids[0] ?? '' } }),
        filter,
        sort,
        after: from.after ? after : undefined,
        offset,
        limit,
        total,
      }
    }
  }
}
