import { describe, expect, it } from 'vitest'
import { find } from '../../../clients/typescript/src/find.ts'

const norway = { type: 'countries' as const, id: 'NO', attributes: { name: 'Norway' } }
const krone = { type: 'currencies' as const, id: 'NOK' }
const included = [krone, { ...norway, id: 'SE' }, { type: 'users' as const, id: 'NO' }, norway]

describe('Finding an included resource', () => {
  it('compares type and id, and gives the type that the identifier says', () => {
    const found = find(included, { type: 'countries', id: 'NO' })
    expect(found?.attributes.name).toBe('Norway')
    expect(found).toBe(norway)
    expect(find(included, { type: 'currencies', id: 'NO' })).toBeUndefined()
  })

  it('finds nothing for an empty or a withheld relationship, or where nothing was included', () => {
    expect(find(included, null)).toBeUndefined()
    expect(find(included, undefined)).toBeUndefined()
    expect(find(undefined, krone)).toBeUndefined()
  })
})
