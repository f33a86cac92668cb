import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

/** What the Worker has no default for, but for the audience. */
const others = {
  AUTH_URL: 'https://login.example',
  TOKEN_ISSUER: 'https://login.example',
  JWKS_URL: 'https://login.example/jwks',
  CARD_KEYS: 'ring',
}
const read = (TOKEN_AUDIENCE?: string) => readConfig({ ...others, TOKEN_AUDIENCE })

describe('TOKEN_AUDIENCE', () => {
  it.each([
    ['https://api.example/x', ['https://api.example/x'], 'https://api.example/jsonapi'],
    [
      ' https://api.example/x , one,two, ',
      ['https://api.example/x', 'one', 'two'],
      'https://api.example/jsonapi',
    ],
    ['api://people', ['api://people'], undefined],
    ['one,https://api.example/x', ['one', 'https://api.example/x'], undefined],
  ])(
    'with the value %s names %j and gives the service the address %s',
    (text, audience, publicUrl) => {
      expect(read(text)).toMatchObject({ audience, publicUrl })
    },
  )

  it.each([
    ['', 'not ""'],
    [',,', 'not ",,"'],
    [undefined, 'and is absent'],
    ['https://', 'not "https://"'],
  ])('is told what is allowed with the value %j', (text, held) => {
    expect(() => read(text)).toThrow(
      new Error(`TOKEN_AUDIENCE must be the aud of the access tokens, ${held}`),
    )
  })
})

describe.each(['AUTH_URL', 'JWKS_URL'])('%s', (name) => {
  it.each(['login.example', 'mailto:a@b', 'https://'])('is refused as %s', (value) => {
    expect(() => readConfig({ ...others, TOKEN_AUDIENCE: 'x', [name]: value })).toThrow(
      new Error(`${name} must be an http or https URL, not "${value}"`),
    )
  })
})

describe('TOKEN_PROFILE', () => {
  it('is generic unless it is given', () => {
    expect(read('x').tokenProfile).toBe('generic')
  })

  it('takes the name of a known profile and no other text', () => {
    expect(readConfig({ ...others, TOKEN_AUDIENCE: 'x', TOKEN_PROFILE: 'okta' })).toMatchObject({
      tokenProfile: 'okta',
    })
    expect(() => readConfig({ ...others, TOKEN_AUDIENCE: 'x', TOKEN_PROFILE: 'Okta' })).toThrow(
      'TOKEN_PROFILE must be one of generic, auth0, cognito, entra, keycloak, okta, not "Okta"',
    )
  })
})

describe('BLOCKED_CALLERS', () => {
  const blocked = (BLOCKED_CALLERS?: string) =>
    readConfig({ ...others, TOKEN_AUDIENCE: 'x', BLOCKED_CALLERS }).blockedCallers

  it('names nobody unless it is given, and else each name once', () => {
    expect(blocked()).toEqual(new Set())
    expect(blocked('')).toEqual(new Set())
    expect(blocked(' abcdefghijklmnop , -_ABCDEFGHIJ0123,abcdefghijklmnop,')).toEqual(
      new Set(['abcdefghijklmnop', '-_ABCDEFGHIJ0123']),
    )
  })

  it.each(['john', 'abcdefghijklmno', 'abcdefghijklmnopq', 'abcdefgh ijklmno', 'abcdefghijklmno='])(
    'is refused with %j, and the name of the variable is told',
    (text) => {
      expect(() => blocked(`abcdefghijklmnop,${text}`)).toThrow(
        `BLOCKED_CALLERS must be names of callers in the log, with commas between them, not "abcdefghijklmnop,${text}"`,
      )
    },
  )
})

describe('LOG_SHARE', () => {
  const share = (vars: object) => readConfig({ ...others, TOKEN_AUDIENCE: 'x', ...vars }).logShare

  it('lets the log tell every request unless it is given', () => {
    expect(share({})).toBe(1)
    expect(share({ LOG_SHARE: '0.05' })).toBe(0.05)
    expect(share({ LOG_SHARE: '0' })).toBe(0)
  })

  it.each(['2', '-0.1', '1.5', '5%', '.1', ''])('is refused as %j', (LOG_SHARE) => {
    expect(() => share({ LOG_SHARE })).toThrow(
      `LOG_SHARE must be a number from 0 to 1, like 0.1, not "${LOG_SHARE}"`,
    )
  })
})

describe('Wrong variables', () => {
  it('are all told in one line, and nothing of the secret', () => {
    const vars = {
      ...others,
      AUTH_URL: 'login',
      DOCS_CLIENT_ID: 7,
      READ_ONLY: 'yes',
      CARD_KEYS: '',
    }
    expect(() => readConfig(vars)).toThrow(
      new Error(
        'AUTH_URL must be an http or https URL, not "login"; TOKEN_AUDIENCE must be the aud of the access tokens, and is absent; DOCS_CLIENT_ID must be the id of a client, not 7; READ_ONLY must be true or false, not "yes"; CARD_KEYS must be a key ring',
      ),
    )
  })
})
