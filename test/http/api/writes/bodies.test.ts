import { describe, expect, it } from 'vitest'
import { badAttributes } from './bad-attributes.ts'
import { targets } from './bad-body.ts'
import { badEnvelopes } from './bad-envelopes.ts'
import { badLinkage } from './bad-linkage.ts'
import { badMeta } from './bad-meta.ts'
import { hostileBodies } from './hostile-bodies.ts'
import { anyWriter, byText, faults, send } from './writers.ts'

const table = [...badEnvelopes, ...badAttributes, ...badLinkage, ...badMeta, ...hostileBodies].map(
  ([what, target, body, ...expected]) => ({ what, target, body, expected }),
)

describe('a body that breaks the rules is refused with all its errors (contract, sections 2, 5, 6)', () => {
  it.each(table)('$what ($target)', async ({ target, body, expected }) => {
    const [method, path] = targets[target]
    const answer = await send(method, path, await anyWriter(), body)

    expect(faults(answer)).toEqual(expected.toSorted(byText))
    const statuses = new Set(expected.map(([status]) => status))
    expect(answer.status).toBe(statuses.size === 1 ? Number([...statuses][0]) : 400)
  })
})
