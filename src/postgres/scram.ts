import { fromBase64Url } from '../lib/base64url.ts'

/** A dialogue of SCRAM-SHA-256 (RFC 5802 and 7677), as PostgreSQL speaks it: without channel binding. */
export interface Scram {
  /** The first message of the client. */
  readonly first: string
  /**
   * Gives the last message of the client, from the first one of the server.
   *
   * @throws Error when the server's message is none, answers another dialogue, or asks for more rounds than {@link mostRounds}
   */
  final(challenge: string): Promise<string>
  /**
   * Checks the last message of the server, which proves that it knows the password.
   *
   * @throws Error when it does not
   */
  verify(outcome: string): void
}

/** The name of the mechanism. */
export const mechanism = 'SCRAM-SHA-256'

/** The most rounds of PBKDF2, which the server chooses: the runtime allows no more either. PostgreSQL's own number is 4,096. */
const mostRounds = 100_000

const utf8 = new TextEncoder()

/** Begins a dialogue. The name of the user is not in it: PostgreSQL takes the one of the connection. */
export function scram(password: string, nonce = randomNonce()): Scram {
  const bare = `n=,r=${nonce}`
  let expected: string | undefined
  return {
    first: `n,,${bare}`,
    async final(challenge) {
      const [, name = '', salt = '', rounds = ''] =
        /^r=([!-+\--~]+),s=([A-Za-z0-9+/=]+),i=(\d+)/.exec(challenge) ?? []
      if (!name.startsWith(nonce) || name === nonce) {
        throw new Error('The server answers another dialogue of SCRAM')
      }
      if (Number(rounds) < 1 || Number(rounds) > mostRounds) {
        throw new Error(`The server asks for ${rounds} rounds of PBKDF2`)
      }
      const salted = await stretched(password, salt, Number(rounds))
      const clientKey = await hmac(salted, 'Client Key')
      const proven = `c=biws,r=${name}`
      const all = `${bare},${challenge},${proven}`
      const signature = await hmac(await digest(clientKey), all)
      const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))
      expected = `v=${base64(await hmac(await hmac(salted, 'Server Key'), all))}`
      return `${proven},p=${base64(proof)}`
    },
    verify(outcome) {
      if (expected === undefined || outcome !== expected) {
        throw new Error('The server has not shown that it knows the password')
      }
    },
  }
}

function randomNonce(): string {
  return base64(crypto.getRandomValues(new Uint8Array(18)))
}

async function stretched(password: string, salt: string, iterations: number) {
  const bytes = utf8.encode(password.normalize('NFKC'))
  const key = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits'])
  const salted = await crypto.subtle.deriveBits(
    { name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64Url(salt), iterations },
    key,
    256,
  )
  return new Uint8Array(salted)
}

async function digest(bytes: Uint8Array<ArrayBuffer>) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string) {
  const name = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, name, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8.encode(text)))
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
