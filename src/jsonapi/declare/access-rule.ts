/**
 * The caller: a person or a client. `id` is the subject of a person's token, or the id of a client; it is
 * unique together with `issuer`.
 */
export interface Principal {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /**
   * The subject of a person whose token has no scope of this service. The principal is the client then, and has a client's rights,
   * but the person is charged and named in the log.
   */
  readonly subject?: string
}

/** What a caller must have. An empty object admits any valid token. Scopes count for persons alone. */
export interface Access {
  /** The token must stand for a person who granted all of these. */
  readonly scopes?: readonly string[]
  /** The person must own the resource. */
  readonly owner?: true
}

/** A rule of access: a caller is admitted who meets one of the alternatives. */
export type AccessRule = readonly [Access, ...Access[]]

/** The rule that admits any valid token. */
export const anyone: AccessRule = [{}]

/**
 * Does the rule admit the principal?
 *
 * @param owned does the principal own the resource? `'maybe'` asks whether the rule could admit the principal for some resource
 */
export function allows(rule: AccessRule, principal: Principal, owned: boolean | 'maybe'): boolean {
  const isPerson = principal.kind === 'user'
  return rule.some(
    ({ scopes, owner }) =>
      (!scopes || (isPerson && scopes.every((scope) => principal.scopes.has(scope)))) &&
      (!owner || (isPerson && owned !== false)),
  )
}
