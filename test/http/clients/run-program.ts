import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { elsewhere, startTrouble, troubles } from './trouble.ts'

/** What every program prints, whatever its library. */
const printed = [
  '53 countries of Europe use 21 currencies.',
  `Tove Reise has addresses in Oslo, ${elsewhere.city}, Bergen.`,
  'Her place of birth brings along Kingdom of Norway, Norwegian krone.',
  'Refused: CONFLICT at /data/attributes/email.',
  'Deleted.',
]

/** The service that a program runs on. */
export interface Addresses {
  readonly origin: string
  /** Of the authorization server. */
  readonly issuer: string
}

/** The two ways to say where these are. */
export const urls = ({ origin, issuer }: Addresses) => ({
  API_URL: `${origin}/jsonapi`,
  AUTH_URL: issuer,
})
export const ports = ({ origin, issuer }: Addresses) => ({
  PORT: new URL(origin).port,
  AUTH_PORT: new URL(issuer).port,
})

/**
 * Runs a program for authors of clients behind a proxy that makes trouble, and signs the person "1" in where the program asks for it.
 * Expects that it prints what each of them must print.
 *
 * @param file of the program, absolute
 */
export async function expectToRun(
  file: string,
  { origin, issuer }: Addresses,
  variables: typeof urls | typeof ports = urls,
): Promise<void> {
  const trouble = await startTrouble(origin)
  try {
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, ...variables({ origin: trouble.origin, issuer }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    const errors = text(child.stderr)
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      const [, start] = /^Sign in at (.+)$/.exec(line) ?? []
      if (start === undefined) {
        lines.push(line)
      } else {
        await visit(new URL(start))
      }
    }
    const [code] = await ended
    expect({ lines, errors: await errors, code }).toEqual({ lines: printed, errors: '', code: 0 })
    expect(trouble.made.toSorted()).toEqual(Object.values(troubles).toSorted())
  } finally {
    trouble.close()
  }
}

/** Opens the address that a program prints, picks the person "1" on the page there, and comes to the program's own page. */
async function visit(start: URL): Promise<void> {
  const { location: page, cookies } = await redirectedFrom(start)
  const headers = { Cookie: cookies }
  const body = new URLSearchParams({ person: '1' })
  const picked = await redirectedFrom(page, { method: 'POST', headers, body })
  const granted = await redirectedFrom(picked.location, { headers })
  await (await fetch(granted.location)).text()
}

async function redirectedFrom(url: URL, init: RequestInit = {}) {
  const { headers } = await fetch(url, { ...init, redirect: 'manual' })
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return { location: new URL(headers.get('location') ?? '', url), cookies: cookies.join('; ') }
}
