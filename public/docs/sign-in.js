/**
 * A plugin of Swagger UI. It fills in the public client of the flow of persons, and keeps access tokens over a reload.
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
        return React.createElement(Original, {
          ...props,
          authSelectors: { ...props.authSelectors, getConfigs },
        })
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

/** Keeps the tokens of all schemes that somebody is signed in with. A token whose lifetime was not told is not kept. */
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
