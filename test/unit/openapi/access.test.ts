import { describe, expect, it } from 'vitest'
import type { AccessRule } from '../../../src/jsonapi/declare/resource.ts'
import { admitted, isOpen, securityOf } from '../../../src/openapi/access.ts'

describe('A rule in a description', () => {
  const rules: readonly (readonly [AccessRule, boolean])[] = [
    [[{}], true],
    [[{ scopes: ['a'] }, {}], true],
    [[{ scopes: ['a'] }], false],
    [[{ owner: true }], false],
    [[{ owner: true }, { scopes: ['a'] }], false],
  ]

  it.each(rules)('is open where one of its alternatives asks for nothing: %j, %s', (rule, open) => {
    expect(isOpen(rule)).toBe(open)
    expect(admitted(rule) === '').toBe(open)
    expect(securityOf(rule).some((one) => 'Client_Credentials' in one)).toBe(open)
  })
})
