import { makeAccessible } from './access.js'
import { layout } from './layout.js'
import { requestOf } from './request.js'
import { signIn, signInAgain } from './sign-in.js'

/* global SwaggerUIBundle */

// Swagger UI has dark colours, and asks for this class.
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followSystem)
followSystem()

// The page lies at {root}/docs, and calls the service that it comes from, wherever the description says it is.
const root = location.pathname.replace(/\/docs$/, '')
const response = await fetch(`${root}/oas`)
const described = await response.json()
const spec = forTrying(structuredClone(described))
spec.servers = [{ url: root }]

const { clientId } = document.documentElement.dataset
const tokens = `tokens of ${root}`
const domNode = document.getElementById('docs')
const ui = SwaggerUIBundle({
  spec,
  domNode,
  layout: 'Page',
  plugins: [
    layout((...wish) => requestOf(described, location.origin + root, ...wish)),
    signIn(clientId, tokens),
  ],
  oauth2RedirectUrl: `${location.origin}${root}/docs/oauth2-redirect.html`,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  onComplete: () => signInAgain(ui, tokens),
})
makeAccessible(domNode)

const { scopes } =
  spec.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
ui.initOAuth({
  scopes: Object.keys(scopes).filter((scope) => scope.endsWith('.read')),
  usePkceWithAuthorizationCodeGrant: true,
})

/**
 * Swagger UI would send the example of every parameter with every request: what is optional starts empty. So does an id with several
 * examples: its request uses one up.
 */
function forTrying(description) {
  for (const parameter of allParameters(description)) {
    const { example, examples = {}, required } = parameter
    const several = Object.values(examples).map(({ value }) => value)
    if (several.length > 0 || (example !== undefined && !required)) {
      const shown = several.length > 0 ? several : [[example].flat().join(',')]
      parameter.description += ` Example: ${shown.map((value) => `\`${value}\``).join(', ')}`
      delete parameter.example
      delete parameter.examples
      delete parameter.schema.default
      delete parameter.schema.items?.example
    }
  }
  return description
}

function allParameters({ components, paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return [
    ...Object.values(components.parameters),
    ...operations.flatMap(({ parameters = [] }) => parameters),
  ]
}
