import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Interaction, InteractionResult, Provider } from 'oidc-provider'
import { scopes } from '../lib/config.ts'
import { loginPage, messagePage, type Person, pageHeaders } from './login-page.ts'

/**
 * Answers `/interaction/{id}`: GET shows the login page, POST signs the picked person in and grants what was
 * asked for. A scope that nobody knows, or none at all, ends the sign-in with `invalid_scope` (RFC 6749,
 * section 3.3).
 */
export async function signIn(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response).catch(() => undefined)
  if (!interaction) {
    send(
      response,
      400,
      messagePage('Too late', 'This sign-in is over. Start again where you came from.'),
    )
    return
  }
  const requested = interaction.params.scope?.split(' ') ?? []
  const unknown = requested.filter((scope) => scope !== 'openid' && !isKnown(scope))
  if (requested.length === 0 || unknown.length > 0) {
    const what = unknown.length > 0 ? `unknown: ${unknown.join(' ')}` : 'ask for at least one'
    await provider.interactionFinished(request, response, refused('invalid_scope', what))
  } else if (request.method === 'POST') {
    const form = new URLSearchParams(await text(request))
    const result = form.has('cancel')
      ? refused('access_denied', 'the sign-in was cancelled')
      : await granted(provider, interaction, people, form.get('person'))
    await provider.interactionFinished(request, response, result)
  } else {
    const wishes = requested.filter(isKnown).map((scope) => scopes[scope])
    send(response, 200, loginPage(interaction.params.client_id, wishes, people))
  }
}

async function granted(
  provider: Provider,
  { params }: Interaction,
  people: readonly Person[],
  subject: string | null,
): Promise<InteractionResult> {
  const person = people.find((one) => one.subject === subject)
  if (!person) {
    return refused('access_denied', 'there is no such person')
  }
  const grant = new provider.Grant({ accountId: person.subject, clientId: params.client_id })
  if (params.scope) {
    grant.addOIDCScope(params.scope)
    grant.addResourceScope(params.resource, params.scope)
  }
  return { login: { accountId: person.subject }, consent: { grantId: await grant.save() } }
}

function refused(error: string, description: string): InteractionResult {
  return { error, error_description: description }
}

function isKnown(scope: string): scope is keyof typeof scopes {
  return Object.hasOwn(scopes, scope)
}

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders).end(html)
}
