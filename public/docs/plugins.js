// Plugins of Swagger UI.

/** The layout of the page: who is signed in, what to do first and where to read on, then the operations. */
export function page({ React: { createElement: h } }) {
  const links = {
    Guides: 'docs/guides/index.html',
    Contract: 'docs/guides/contract.html',
    OpenAPI: 'oas',
  }
  const guide = (page, text) => h('a', { href: `docs/guides/${page}.html` }, text)

  function Page({ getComponent, specSelectors, layoutActions }) {
    const part = (name, props) => h(getComponent(name, true), props)
    const { title, description } = specSelectors.info().toJS()
    const first = '#/users/listUsers'
    const show = () => layoutActions.parseDeepLinkHash(first)
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
      ),
      h('div', { className: 'caller' }, part('Caller'), part('AuthorizeBtnContainer')),
      h(
        'main',
        { id: 'operations', tabIndex: -1 },
        h(
          'section',
          { className: 'wrapper about' },
          h(
            'ol',
            null,
            h('li', null, 'Sign in: nothing is answered without a token.'),
            h(
              'li',
              null,
              'Try ',
              h('a', { href: first, onClick: show }, 'the list of users'),
              ': press Execute.',
            ),
            h(
              'li',
              null,
              'Read on: ',
              ...[guide('errors', 'errors'), ', ', guide('paging', 'pages'), ', '],
              ...[guide('rate-limits', 'limits'), ', ', guide('clients', 'use from code'), '.'],
            ),
          ),
          h(
            'details',
            null,
            h('summary', null, 'Requests, tokens, pages, errors and limits in short'),
            part('Markdown', { source: description }),
          ),
        ),
        h(
          'div',
          { className: 'wrapper' },
          h('h2', null, 'Operations'),
          part('errors'),
          part('operations'),
        ),
      ),
    )
  }

  /** Who the requests are sent for. */
  function Caller({ authSelectors }) {
    const callers = authSelectors
      .authorized()
      .valueSeq()
      .toJS()
      .map(({ token }) => claimsOf(token))
    const text = ({ name, scopes }) => `Signed in as ${name}${scopes && `, for ${scopes}`}. `
    return h('p', { role: 'status' }, callers.length > 0 ? callers.map(text) : 'Not signed in.')
  }

  const words = { Authorize: 'Sign in', Logout: 'Sign out' }
  return {
    components: {
      Page,
      Caller,
      // The summary of an operation is a button, which holds no links.
      DeepLink: ({ text }) => h('span', null, text),
    },
    wrapComponents: {
      // The text of a button is its name.
      Button:
        (Original) =>
        ({ 'aria-label': _, children, ...props }) =>
          h(Original, props, words[children] ?? children),
      RequestSnippets: (Original) => (props) =>
        h(
          'div',
          null,
          h(
            'p',
            null,
            'The request as it was sent. It holds your access token: show it to nobody.',
          ),
          h(Original, props),
        ),
    },
  }
}

/** The name and the scopes that a token shows, if it is a JWT that can be read. */
function claimsOf({ access_token: token }) {
  try {
    const [, payload] = token.split('.')
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    const { sub, client_id: client, scope, scp = [] } = claims
    return { name: sub ?? client, scopes: [scope ?? scp].flat().join(' ').replaceAll(' ', ', ') }
  } catch {
    return { name: 'somebody', scopes: '' }
  }
}

/** A request as JavaScript and Python, beside the curl of Swagger UI itself. Both read names and values of headers as JSON. */
export function snippets() {
  const spelled = (value, indent = '') =>
    JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent}`)
  const escaped = (text, quote) =>
    text.replaceAll(/[\\`'$]/g, (sign) => (quote.includes(sign) ? `\\${sign}` : sign))
  return {
    fn: {
      requestSnippetGenerator_javascript(request) {
        const { url, method, headers, body } = request.toJS()
        const sent = body === undefined ? '' : `  body: \`${escaped(body, '\\`$')}\`,\n`
        return `const response = await fetch(${spelled(url)}, {
  method: ${spelled(method)},
  headers: ${spelled(headers, '  ')},
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
    headers=${spelled(headers, '    ')},
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
  return ({ React: { createElement: h } }) => ({
    statePlugins: {
      auth: {
        wrapActions: {
          persistAuthorizationIfNeeded:
            (_, { authSelectors }) =>
            () =>
              keep(key, authSelectors.authorized().toJS()),
          // Swagger UI would send the code of the last sign-in again.
          authPopup: (open) => (url, options) =>
            open(url, { ...options, auth: { ...options.auth, code: undefined } }),
        },
      },
    },
    components: {
      authorizeBtn: ({ isAuthorized, showPopup, onClick, getComponent }) =>
        h(
          'div',
          { className: 'auth-wrapper' },
          h('button', { className: 'btn authorize', onClick }, isAuthorized ? 'Change' : 'Sign in'),
          showPopup && h(getComponent('authorizationPopup', true)),
        ),
      authorizationPopup({ authActions, authSelectors, getComponent }) {
        const close = () => authActions.showDefinitions(false)
        const authorized = authSelectors.authorized()
        const schemes = authSelectors.shownDefinitions().flatMap((scheme) => scheme.entrySeq())
        const named = { role: 'dialog', 'aria-modal': true, 'aria-label': 'Sign in', tabIndex: -1 }
        return h(
          'div',
          { className: 'dialog-ux' },
          h('div', { className: 'backdrop-ux', onClick: close }),
          h(
            'div',
            { className: 'modal-ux', ...named },
            h(
              'div',
              { className: 'modal-ux-header' },
              h('h3', null, 'Sign in'),
              h('button', { className: 'close-modal', 'aria-label': 'Close', onClick: close }, '×'),
            ),
            h(
              'div',
              { className: 'modal-ux-content' },
              schemes.map(([name, schema]) =>
                h(getComponent('oauth2', true), { key: name, name, schema, authorized }),
              ),
            ),
          ),
        )
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
        const used = props.authorized.get(props.name)
        return h(
          'div',
          { className: 'auth-container' },
          h('h4', null, isMachine ? 'As an application' : 'As a person'),
          used && h('p', null, 'Client: ', h('code', null, used.get('clientId') ?? clientId)),
          h(Original, { ...props, authSelectors }),
        )
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
