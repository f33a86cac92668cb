import {
  type CollectionRequest,
  collectionRequests,
  localApi,
  memberPath,
  newKey,
  tokenCommands,
} from './requests.ts'

const about = `The tour of the service Users, Countries and Currencies, in order: run the whole collection, or from the
first request on. Choose the environment "local", and give it two tokens:

- machine: \`${tokenCommands.machine}\`
- person: \`${tokenCommands.person}\``

/** The files of the Bruno collection: their paths in it, and what they hold. */
export function brunoFiles(): ReadonlyMap<string, string> {
  const settings = { version: '1', name: 'Users, Countries and Currencies', type: 'collection' }
  return new Map([
    ['bruno.json', `${JSON.stringify(settings, null, 2)}\n`],
    ['collection.bru', block('docs', about)],
    [
      'environments/local.bru',
      `${block('vars', `api: ${localApi}`)}vars:secret [\n  machine,\n  person\n]\n`,
    ],
    ...collectionRequests().map(
      (request) => [`${titleOf(request)}.bru`, requestFile(request)] as const,
    ),
  ])
}

function titleOf({ number, title }: CollectionRequest): string {
  return `${String(number).padStart(2, '0')} ${title}`
}

function requestFile(request: CollectionRequest): string {
  const { number, method, url, as, headers, body, status, takes, makesKey } = request
  const parameters = [...new URLSearchParams(url.split('?')[1])]
  const blocks = [
    block('meta', lines({ name: titleOf(request), type: 'http', seq: String(number) })),
    block(
      method.toLowerCase(),
      lines({ url, body: body === undefined ? 'none' : 'json', auth: 'bearer' }),
    ),
    ...(parameters.length > 0
      ? [block('params:query', lines(Object.fromEntries(parameters)))]
      : []),
    block('headers', lines(headers)),
    block('auth:bearer', `token: {{${as}}}`),
    ...(body === undefined ? [] : [block('body:json', body)]),
    ...(takes ? [block('vars:post-response', `${takes.variable}: ${valueAt(takes.at)}`)] : []),
    block('assert', `res.status: eq ${status}`),
    ...(makesKey ? [block('script:pre-request', `bru.setVar("key", ${newKey});`)] : []),
    block('settings', 'encodeUrl: true'),
  ]
  return blocks.join('\n')
}

function valueAt(at: NonNullable<CollectionRequest['takes']>['at']): string {
  return 'header' in at
    ? `res.headers[${JSON.stringify(at.header.toLowerCase())}]`
    : `res.body.${memberPath(at.member)}`
}

function lines(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** A block of Bruno's language: a line that ends it has no indentation. */
function block(name: string, content: string): string {
  return `${name} {\n${content.replaceAll(/^(?=.)/gm, '  ')}\n}\n`
}
