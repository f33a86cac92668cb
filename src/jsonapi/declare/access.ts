/**
 * Who calls. `id` is the subject of a person's token or the id of a client; `issuer` makes it unique
 * (contract, section 3: a client token never has a user's rights, whatever scopes it carries).
 */
export interface Principal {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  readonly id: string
  readonly scopes: ReadonlySet<string>
}

/** What a caller must bring. The empty object: any valid token. Scopes count for persons only. */
export interface Access {
  /** The token must stand for a person who granted all of these. */
  readonly scopes?: readonly string[]
  /** The person must own the resource. */
  readonly owner?: true
}

/** Alternatives: one of them is enough. */
export type AccessRule = readonly [Access, ...Access[]]

/** The rule that any valid token satisfies. */
export const anyone: AccessRule = [{}]

/**
 * Does the rule let the principal in?
 *
 * @param owned whether the principal owns the resource; `'maybe'` asks whether any resource could qualify
 */
export function allows(rule: AccessRule, principal: Principal, owned: boolean | 'maybe'): boolean {
  return rule.some(
    (access) =>
      hasScopes(access, principal) && (!access.owner || (owned !== false && isPerson(principal))),
  )
}

/** Has the principal all scopes of the rule's alternative, as a person? Ownership is not judged. */
function hasScopes(access: Access, principal: Principal): boolean {
  return (
    !access.scopes ||
    (isPerson(principal) && access.scopes.every((scope) => principal.scopes.has(scope)))
  )
}

function isPerson(principal: Principal): boolean {
  return principal.kind === 'user'
}
