import type { DescribedOperation } from './read-description.ts'

/** A request as it is sent. */
export interface Sent {
  readonly method: string
  readonly path: string
  /** Names and values, as the description spells them. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  /** A string as it is, anything else as JSON. */
  readonly body?: unknown
}

/** The request that the description documents: the examples of its path, its query, its headers and its body, as they stand. */
export function documentedRequest(operation: DescribedOperation): Sent {
  const { method, path, parameters, requestBody, responses } = operation
  const exampleOf = (place: string) =>
    parameters.flatMap(({ in: at, name, example: value }) => {
      return at === place && value !== undefined
        ? [[name, [value].flat().map(String).join(',')] as const]
        : []
    })
  const [content] = Object.entries(requestBody?.content ?? {})
  const answered = Object.values(responses).find((response) => response.content)?.content ?? {}
  const [accept = ''] = Object.keys(answered)
  return {
    method,
    path: exampleOf('path').reduce(
      (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    ),
    query: exampleOf('query'),
    headers: {
      ...Object.fromEntries(
        exampleOf('header').map(([name, value]) => [name.toLowerCase(), value]),
      ),
      accept,
      ...(content && { 'content-type': content[0] }),
    },
    ...(content && { body: content[1].example }),
  }
}

/** The path and the query of a request below the root, as a client sends them. */
export function urlOf({ path, query }: Sent): string {
  const encoded = (text: string) => encodeURIComponent(text).replaceAll('%2C', ',')
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  return search === '' ? path : `${path}?${search}`
}
