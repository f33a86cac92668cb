import { mediaType } from '../../src/jsonapi/document.ts'
import { needed, type Place, requestAt } from '../tour/send.ts'
import { type Seen, stops } from '../tour/stops.ts'

/** A request of a collection. What differs from run to run stands in it as a variable: `{{made}}`. */
export interface CollectionRequest {
  /** From 1. */
  readonly number: number
  /** The operation. */
  readonly name: string
  /** What it does. */
  readonly title: string
  /** Who asks: the variable that holds the token. */
  readonly as: 'machine' | 'person'
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON with a line for each member. */
  readonly body: string | undefined
  /** The status that the contract promises. */
  readonly status: number
  /** The variable that takes a value from the answer, and where the answer has it. */
  readonly takes: { readonly variable: string; readonly at: Place } | undefined
  /** Does it need a new value in the variable `key`? */
  readonly makesKey: boolean
}

/** The local service, which collections name unless told otherwise. */
export const localApi = 'http://127.0.0.1:8787/jsonapi'

/** The commands that print the tokens of a collection, by the variables that hold them. */
export const tokenCommands = {
  machine: 'npm run -s token -- --client',
  person: 'npm run -s token -- --person 1 --scope "users.read users.citizenships.read users.write"',
} as const

/** Each value that the tour learns on its way is a variable of the collection. */
const variables: Seen = {
  key: '{{key}}',
  made: '{{made}}',
  tag: '{{tag}}',
  somebody: '{{somebody}}',
}

/** The requests of the tour, in their order. */
export function collectionRequests(): readonly CollectionRequest[] {
  const requests = stops.map((stop) => requestAt(stop, '{{api}}', variables))
  const first = requests.findIndex((request) => JSON.stringify(request).includes(variables.key))
  return requests.map(({ method, url, headers, body }, index) => {
    const { name, title, as, status } = stops[index] as (typeof stops)[number]
    const { as: variable, at } = needed[name] ?? {}
    return {
      number: index + 1,
      name,
      title,
      as,
      method,
      url,
      headers: { Accept: mediaType, ...(body && { 'Content-Type': mediaType }), ...headers },
      body: body && JSON.stringify(body, null, 2),
      status,
      takes: variable && at && { variable, at },
      makesKey: index === first,
    }
  })
}

/** JavaScript for a member of a document: `data[0].id`. */
export function memberPath(member: readonly (string | number)[]): string {
  return member
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}

/** JavaScript for a text that no other run has. It needs nothing but the language, as scripts of collections do. */
export const newKey = '`tour-$' + '{Date.now()}-$' + '{Math.floor(Math.random() * 1e9)}`'
