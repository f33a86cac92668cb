import { expect, it } from 'vitest'
import { tokenProfiles } from '../../src/auth/profiles.ts'
import { readConfig } from '../../src/config.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { cardKeys } from '../support/card-keys.ts'

/** What the Worker has no default for. */
const required = {
  AUTH_URL: 'https://login.example',
  TOKEN_ISSUER: 'https://login.example',
  TOKEN_AUDIENCE: 'people',
  JWKS_URL: 'https://login.example/jwks',
  CARD_KEYS: cardKeys,
}
const read = (vars: object) => readConfig({ ...required, ...vars })

it('each variable that is absent has its default', () => {
  expect(read({})).toEqual({
    rootPath: '/jsonapi',
    authUrl: required.AUTH_URL,
    issuer: required.TOKEN_ISSUER,
    audience: ['people'],
    publicUrl: undefined,
    jwksUrl: required.JWKS_URL,
    tokenProfile: 'generic',
    docsClientId: '',
    cardKeys: parseKeyRing(cardKeys),
    limit: { capacity: 100, rate: 50, readCost: 1, writeCost: 5, deadlineMs: 500 },
    corsOrigins: new Set(),
    blockedCallers: new Set(),
    readOnly: false,
    replicated: false,
    databaseDeadlineMs: 5_000,
    quotas: { owned: 1_000, members: 1_000 },
    logShare: 1,
  })
})

it.each<[vars: object, config: object]>([
  [
    { TOKEN_AUDIENCE: ' https://api.example/x , one, ' },
    { audience: ['https://api.example/x', 'one'], publicUrl: 'https://api.example/jsonapi' },
  ],
  [
    { TOKEN_AUDIENCE: 'one,https://api.example/x' },
    { audience: ['one', 'https://api.example/x'], publicUrl: undefined },
  ],
  [
    { BLOCKED_CALLERS: ' abcdefghijklmnop , -_ABCDEFGHIJ0123,abcdefghijklmnop,' },
    { blockedCallers: new Set(['abcdefghijklmnop', '-_ABCDEFGHIJ0123']) },
  ],
  [{ LOG_SHARE: '0.05' }, { logShare: 0.05 }],
  [
    { RATE_LIMIT_BURST_CAPACITY: '30', RATE_LIMIT_REPLENISH_RATE: '3', RATE_LIMIT_READ_COST: '30' },
    { limit: { capacity: 30, rate: 3, readCost: 30 } },
  ],
  [
    { RATE_LIMIT_WRITE_COST: '4', RATE_LIMIT_DEADLINE_MS: '100', RATE_LIMIT_JURISDICTION: 'eu' },
    { limit: { writeCost: 4, deadlineMs: 100, jurisdiction: 'eu' } },
  ],
  // As TOML has them without quotation marks.
  [{ READ_ONLY: true }, { readOnly: true }],
  [{ QUOTA_OWNED: 7 }, { quotas: { owned: 7 } }],
  [{ READ_ONLY: 'True' }, { readOnly: true }],
  [{ D1_REPLICATION: 'TRUE' }, { replicated: true }],
  [{ READ_ONLY: 'FALSE' }, { readOnly: false }],
])('%j is read', (vars, config) => {
  expect(read(vars)).toMatchObject(config)
})

const notNames = [
  ...['john', 'abcdefghijklmnop,john', 'abcdefghijklmno', 'abcdefghijklmnopq'],
  ...['abcdefgh ijklmno', 'abcdefghijklmno='],
]
const notCosts = ['', '0', '-1', '1.5', 'many', '1000000000']
it.each([
  ['TOKEN_AUDIENCE', ['', ',,', undefined, 'https://'], 'must be the aud of the access tokens'],
  ['JWKS_URL', ['login.example', 'mailto:a@b', 'https://'], 'must be an http or https URL'],
  ['TOKEN_PROFILE', ['Okta'], `must be absent or one of ${tokenProfiles.join(', ')}`],
  ['CORS_ORIGINS', ['https://a.example,b.example'], 'must be origins like https://app.example'],
  ['BLOCKED_CALLERS', notNames, 'must be names of callers in the log'],
  ['RATE_LIMIT_WRITE_COST', notCosts, 'must be a whole number from 1 to 999999999'],
  ['LOG_SHARE', ['2', '-0.1', '1.5', '5%', '.1', ''], 'must be a number from 0 to 1, like 0.1'],
])('a wrong %s is named with what it holds and what is allowed', (name, values, rule) => {
  for (const value of values) {
    const held = value === undefined ? 'and is absent' : `not ${JSON.stringify(value)}`
    const told = new RegExp(`^${name} ${rule}.*, ${RegExp.escape(held)}$`)
    expect(() => read({ [name]: value })).toThrow(told)
  }
})

it('all wrong variables are named in one line, and nothing of the secret', () => {
  const vars = { AUTH_URL: 'login', DOCS_CLIENT_ID: {}, READ_ONLY: 'yes', CARD_KEYS: undefined }
  expect(() => read(vars)).toThrow(
    new Error(
      'AUTH_URL must be an http or https URL, not "login"; DOCS_CLIENT_ID must be the id of a client, not {}; READ_ONLY must be absent, true or false, not "yes"; CARD_KEYS must be a key ring',
    ),
  )
  expect(() => read({ CARD_KEYS: 'secret' })).toThrow(
    /^CARD_KEYS must be a key ring like (?!.*secret)/,
  )
})

it.each([
  ['RATE_LIMIT_BURST_CAPACITY', '501', 'must be at most 10 times RATE_LIMIT_REPLENISH_RATE'],
  ['RATE_LIMIT_READ_COST', '101', 'must be at most RATE_LIMIT_BURST_CAPACITY'],
])('%s %s is beyond what others allow', (name, value, rule) => {
  expect(() => read({ [name]: value })).toThrow(new Error(`${name} ${rule}`))
  expect(() => read({ [name]: String(Number(value) - 1) })).not.toThrow()
})
