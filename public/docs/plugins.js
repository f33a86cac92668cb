// Plugins of Swagger UI.

/** The layout of the page: how to sign in and where to read on at its top, then the operations. */
export function page({ React: { createElement: h } }) {
  const links = {
    Guides: 'docs/guides/index.html',
    Contract: 'docs/guides/contract.html',
    OpenAPI: 'oas',
  }

  function Page({ getComponent, specSelectors }) {
    const part = (name, props) => h(getComponent(name, true), props)
    const { title, description } = specSelectors.info().toJS()
    return h(
      'div',
      { className: 'swagger-ui' },
      h(
        'header',
        null,
        h('h1', null, title),
        h(
          'nav',
          { 'aria-label': 'Documents' },
          Object.entries(links).map(([name, path]) => h('a', { key: name, href: path }, name)),
        ),
        part('AuthorizeBtnContainer'),
      ),
      h(
        'main',
        { id: 'operations', tabIndex: -1 },
        h(
          'div',
          { className: 'wrapper' },
          h('h2', null, 'Operations'),
          part('errors'),
          part('operations'),
        ),
        h('section', { className: 'wrapper about' }, part('Markdown', { source: description })),
      ),
    )
  }

  return {
    components: {
      Page,
      // The summary of an operation is a button, which holds no links.
      DeepLink: ({ text }) => h('span', null, text),
    },
    wrapComponents: {
      // The text of a button is its name.
      Button:
        (Original) =>
        ({ 'aria-label': _, ...props }) =>
          h(Original, props),
    },
  }
}

/** A request as JavaScript and Python, beside the curl of Swagger UI itself. Both read names and values of headers as JSON. */
export function snippets() {
  const spelled = (value, indent) => JSON.stringify(value, null, indent)
  const escaped = (text, quote) =>
    text.replaceAll(/[\\`'$]/g, (sign) => (quote.includes(sign) ? `\\${sign}` : sign))
  return {
    fn: {
      requestSnippetGenerator_javascript(request) {
        const { url, method, headers, body } = request.toJS()
        const sent = body === undefined ? '' : `  body: \`${escaped(body, '\\`$')}\`,\n`
        return `const response = await fetch(${spelled(url)}, {
  method: ${spelled(method)},
  headers: ${spelled(headers, 4)},
${sent}})
console.log(response.status, await response.text())`
      },
      requestSnippetGenerator_python(request) {
        const { url, method, headers, body } = request.toJS()
        const sent = body === undefined ? '' : `    data='''${escaped(body, "\\'")}'''.encode(),\n`
        return `from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${spelled(url)},
    method=${spelled(method)},
    headers=${spelled(headers, 4)},
${sent})
try:
    response = urlopen(request)
except HTTPError as error:  # an answer, too
    response = error
print(response.status, response.read().decode())`
      },
    },
  }
}

/**
 * Fills in the public client of the flow of persons, and keeps access tokens over a reload.
 *
 * Tokens are kept in the session storage of the tab: they end with the tab, no other tab reads them, and nothing is sent by itself.
 * Neither secrets of clients nor refresh tokens are kept. Only scripts of this origin can read them, and the policy of the page runs
 * no others than the page's own.
 *
 * @param {string} clientId the id of the client; empty for none
 * @param {string} key the name of the tokens in the storage, which services of one origin share
 */
export function signIn(clientId, key) {
  return ({ React }) => ({
    statePlugins: {
      auth: {
        wrapActions: {
          persistAuthorizationIfNeeded:
            (_, { authSelectors }) =>
            () =>
              keep(key, authSelectors.authorized().toJS()),
        },
      },
    },
    wrapComponents: {
      oauth2: (Original) => (props) => {
        const isMachine = props.schema.get('flow') === 'clientCredentials'
        const getConfigs = () => ({
          ...props.authSelectors.getConfigs(),
          clientId: isMachine ? '' : clientId,
          // The flow of machines has no scopes.
          ...(isMachine && { scopes: [] }),
        })
        const authSelectors = { ...props.authSelectors, getConfigs }
        return React.createElement(Original, { ...props, authSelectors })
      },
    },
  })
}

/** Signs in again with the tokens that are kept and have not expired. */
export function signInAgain({ authActions, specSelectors }, key) {
  const schemes = specSelectors.securityDefinitions().toJS()
  const authorized = Object.entries(keptTokens(key)).flatMap(([name, { token, expires }]) =>
    schemes[name] && expires > Date.now()
      ? [[name, { name, schema: schemes[name], token: { access_token: token } }]]
      : [],
  )
  authActions.restoreAuthorization({ authorized: Object.fromEntries(authorized) })
}

/** Keeps the tokens of all schemes that somebody is signed in with. A token whose lifetime is not known is not kept. */
function keep(key, authorized) {
  const before = keptTokens(key)
  const tokens = Object.entries(authorized).flatMap(([name, { token }]) => {
    const { access_token: text, expires_in: seconds } = token
    const known = before[name]?.token === text ? before[name] : undefined
    return known || seconds
      ? [[name, known ?? { token: text, expires: Date.now() + seconds * 1000 }]]
      : []
  })
  sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(tokens)))
}

function keptTokens(key) {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}')
}
