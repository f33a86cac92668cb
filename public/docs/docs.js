/* global SwaggerUIBundle */

// The page lies at {root}/docs, and calls the service that it comes from, wherever the description says it is.
const root = location.pathname.replace(/\/docs$/, '')
const response = await fetch(`${root}/oas`)
const spec = await response.json()
spec.servers = [{ url: root }]

// Swagger UI would send the example of every parameter with every request: what is optional starts empty.
for (const parameter of allParameters(spec)) {
  if (parameter.example !== undefined && !parameter.required) {
    parameter.description += `\n\nExample: \`${[parameter.example].flat().join(',')}\``
    delete parameter.example
    delete parameter.schema.default
    delete parameter.schema.items?.example
  }
}

const ui = SwaggerUIBundle({
  spec,
  domNode: document.getElementById('docs'),
  oauth2RedirectUrl: `${location.origin}${root}/docs/oauth2-redirect.html`,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
})

const { scopes } =
  spec.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
ui.initOAuth({
  clientId: document.documentElement.dataset.clientId,
  scopes: Object.keys(scopes).filter((scope) => scope.endsWith('.read')),
  usePkceWithAuthorizationCodeGrant: true,
})

function allParameters({ components, paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return [
    ...Object.values(components.parameters),
    ...operations.flatMap(({ parameters = [] }) => parameters),
  ]
}
