import { makeAccessible } from './access.js'
import { page, signIn, signInAgain, snippets } from './plugins.js'

/* global SwaggerUIBundle */

// Swagger UI has dark colours, and asks for this class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followSystem)
followSystem()

// The page lies at {root}/docs, and calls the service that it comes from, wherever the description says it is.
const root = location.pathname.replace(/\/docs$/, '')
const response = await fetch(`${root}/oas`)
const spec = forTrying(await response.json())
spec.servers = [{ url: root }]

const { clientId } = document.documentElement.dataset
const tokens = `tokens of ${root}`
const domNode = document.getElementById('docs')
const ui = SwaggerUIBundle({
  spec,
  domNode,
  layout: 'Page',
  plugins: [page, snippets, signIn(clientId, tokens)],
  oauth2RedirectUrl: `${location.origin}${root}/docs/oauth2-redirect.html`,
  deepLinking: true,
  docExpansion: 'none',
  requestInterceptor: (request) =>
    Object.assign(request, {
      body: request.body?.replaceAll?.('{now}', Date.now()) ?? request.body,
    }),
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    languages: ['curl_bash', 'javascript', 'python'],
  },
  tryItOutEnabled: true,
  onComplete: () => signInAgain(ui, tokens),
})
makeAccessible(domNode)

const { scopes } =
  spec.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
ui.initOAuth({ scopes: Object.keys(scopes), usePkceWithAuthorizationCodeGrant: true })

/**
 * The description as the page shows it. Swagger UI would send the example of every parameter with every request: what is optional
 * starts empty, and so is whom a write changes. Errors are told in words alone, since all of them have the same form.
 */
function forTrying(description) {
  const { paths, components } = description
  const operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ responses }) => responses)
  const parametersOfAll = operations.flatMap(({ parameters }) => parameters)
  for (const parameter of [...parametersOfAll, ...Object.values(components.parameters)]) {
    const { example, required, schema = {} } = parameter
    if (example !== undefined && !required) {
      parameter.description += ` Example: \`${[example].flat().join(',')}\``
      delete parameter.example
      delete schema.default
      delete schema.items?.example
    }
    delete parameter.allowEmptyValue
  }
  for (const [path, { get: _, ...writes }] of Object.entries(paths)) {
    for (const operation of Object.values(writes).filter(({ responses }) => responses)) {
      const { parameters, requestBody = { content: {} } } = operation
      if (path.includes('{id}')) {
        const { example, ...id } = components.parameters.UserId
        id.description += ' Create one user, and take its id.'
        parameters.splice(0, 1, id)
      }
      for (const media of Object.values(requestBody.content)) {
        // An address belongs to one user: with the time in it the example can be run again.
        const text = JSON.stringify(media.example).replaceAll('@', '.{now}@')
        media.example = JSON.parse(text.replace('"id":"1"', '"id":"<the same id>"'))
      }
    }
  }
  for (const { parameters, responses } of operations) {
    // Sparse fieldsets are seldom needed, and many.
    parameters.sort((one, other) => isFieldset(one) - isFieldset(other))
    for (const [status, response] of Object.entries(responses)) {
      const { $ref = '' } = response
      const { description } = components.responses[$ref.split('/').at(-1)] ?? response
      responses[status] = { description, content: response.content }
    }
  }
  return description
}

function isFieldset({ $ref = '' }) {
  return $ref.includes('/fields.')
}
