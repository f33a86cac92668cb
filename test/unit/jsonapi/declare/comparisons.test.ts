import { describe, expect, it } from 'vitest'
import { canCompare } from '../../../../src/jsonapi/request/query.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { client, person } from '../request/requests.ts'

const reader = person('articles.read')
const machine = client('articles.read')

describe('who may not read an attribute', () => {
  it.each([
    { caller: 'a client', principal: machine, allowed: ['title', 'section', 'words'] },
    { caller: 'a reader', principal: reader, allowed: ['title', 'handle', 'section', 'words'] },
  ])('may not compare it: $caller compares $allowed', ({ principal, allowed }) => {
    // Only the owner sees the notes and one member of the layout: a sort or a filter by them would reveal those of others.
    const names = Object.keys(articles.attributes)
    expect(names.filter((name) => canCompare(articles, name, principal))).toEqual(allowed)
  })

  it('may compare ids, and nobody what is no attribute at all', () => {
    const fields = ['id', 'nothing']
    expect(fields.map((field) => canCompare(articles, field, machine))).toEqual([true, false])
  })
})
