/** The part of oidc-provider that the local authorization server uses; the package ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** One check of a prompt: `true` asks for the interaction. */
  class Check {
    constructor(
      reason: string,
      description: string,
      check: (ctx: { readonly oidc: { readonly result?: { readonly login?: object } } }) => boolean,
    )
  }

  export const interactionPolicy: {
    readonly Check: typeof Check
    readonly base: () => {
      get(name: 'login' | 'consent'): { readonly checks: { add(check: Check): void } }
    }
  }

  export const errors: { readonly InvalidTarget: new (description?: string) => Error }

  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface Interaction {
    readonly params: {
      readonly client_id: string
      readonly resource: string
      readonly scope?: string
    }
  }

  export type InteractionResult =
    | {
        readonly login: { readonly accountId: string }
        readonly consent: { readonly grantId: string }
      }
    | { readonly error: string; readonly error_description: string }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (of: {
      readonly accountId: string
      readonly clientId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
    ): Promise<void>
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** Makes a store of its own for one provider. */
  export function createMemoryAdapter(): (model: string) => object
}
