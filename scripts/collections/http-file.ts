import {
  type CollectionRequest,
  collectionRequests,
  localApi,
  memberPath,
  newKey,
  tokenCommands,
} from './requests.ts'

const about = `# The tour of the service Users, Countries and Currencies. Run it from the top: a request needs what one before it has found.
# For HTTP Client of JetBrains, and for httpYac in Visual Studio Code: choose the environment "local", and put two tokens
# into http-client.private.env.json beside this file: { "local": { "machine": "…", "person": "…" } }
#   machine: ${tokenCommands.machine}
#   person:  ${tokenCommands.person}
# In a terminal:
#   npx httpyac send clients/tour.http --all --env local --var machine=… person=…
`

/** The text of `http-client.env.json`, which says where the service is. */
export function httpEnvironments(): string {
  return `${JSON.stringify({ local: { api: localApi } }, null, 2)}\n`
}

/** The text of the `.http` file. */
export function httpFile(): string {
  return [about, ...collectionRequests().map(requestText)].join('\n')
}

function requestText(request: CollectionRequest): string {
  const { number, title, as, method, url, headers, body, status, takes, makesKey } = request
  const all = { Authorization: `Bearer {{${as}}}`, ...headers }
  return [
    `### ${number}. ${title}, as a ${as}: ${status}`,
    ...(makesKey ? [`< {%\n  client.global.set("key", ${newKey});\n%}`] : []),
    `${method} ${url}`,
    ...Object.entries(all).map(([header, value]) => `${header}: ${value}`),
    ...(body === undefined ? [] : ['', body]),
    '',
    '> {%',
    `  client.test("${number}. ${title} answers ${status}", function () {`,
    `    client.assert(response.status === ${status}, "The status is " + response.status);`,
    '  });',
    ...(takes ? [`  client.global.set("${takes.variable}", ${valueAt(takes.at)});`] : []),
    '%}',
    '',
  ].join('\n')
}

function valueAt(at: NonNullable<CollectionRequest['takes']>['at']): string {
  return 'header' in at
    ? `response.headers.valueOf(${JSON.stringify(at.header)})`
    : `response.body.${memberPath(at.member)}`
}
