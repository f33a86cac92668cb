import { expect, it } from 'vitest'
import {
  type AccessRule,
  allows,
  anyone,
  type Principal,
} from '../../../../src/jsonapi/declare/resource.ts'

const caller = (kind: Principal['kind'], ...scopes: string[]): Principal => ({
  kind,
  issuer: 'i',
  id: 'x',
  scopes: new Set(scopes),
})

const [reader, writer]: AccessRule[] = [[{ scopes: ['read'] }], [{ scopes: ['read', 'write'] }]]
const owner: AccessRule = [{ owner: true }]
const ownerWithScope: AccessRule = [{ scopes: ['read'], owner: true }]
const either: AccessRule = [{ scopes: ['read'], owner: true }, { scopes: ['admin'] }]

it.each<[name: string, rule: AccessRule | undefined, Principal, owned: boolean | 'maybe', boolean]>(
  [
    ['anyone: a client', anyone, caller('client'), false, true],
    ['anyone: a person', anyone, caller('user'), false, true],
    ['a scope: who has it', reader, caller('user', 'read'), false, true],
    ['a scope: who has another', reader, caller('user', 'write'), true, false],
    ['a scope: a client that has it', reader, caller('client', 'read'), true, false],
    ['two scopes: who has both', writer, caller('user', 'read', 'write'), false, true],
    ['two scopes: who has one', writer, caller('user', 'read'), false, false],
    ['the owner: who is it', owner, caller('user'), true, true],
    ['the owner: who is not', owner, caller('user'), false, false],
    ['the owner: who may be', owner, caller('user'), 'maybe', true],
    ['the owner: a client of the same name', owner, caller('client'), true, false],
    ['the owner: a client never may be', owner, caller('client'), 'maybe', false],
    ['the owner with a scope: without it', ownerWithScope, caller('user'), true, false],
    ['the owner with a scope: not the owner', ownerWithScope, caller('user', 'read'), false, false],
    ['the owner with a scope: both', ownerWithScope, caller('user', 'read'), true, true],
    ['alternatives: the first', either, caller('user', 'read'), true, true],
    ['alternatives: the second', either, caller('user', 'admin'), false, true],
    ['alternatives: half of each', either, caller('user', 'read'), false, false],
  ],
)(
  'an access rule lets in or refuses as it says: %s',
  (_, rule = anyone, principal, owned, expected) => {
    expect(allows(rule, principal, owned)).toBe(expected)
  },
)
