import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { signIn } from '../start/oauth.ts'
import { elsewhere, startTrouble, troubles } from './trouble.ts'

/** What every program prints, whatever its library. */
const expected = [
  '53 countries of Europe use 21 currencies.',
  `Tove Reise has addresses in Oslo, ${elsewhere.city}, Bergen.`,
  'Her place of birth brings along Kingdom of Norway, Norwegian krone.',
  'Refused: CONFLICT at /data/attributes/email.',
  'Deleted.',
]

/** The service that a program is tried on. */
export interface Addresses {
  readonly origin: string
  /** Address of the root path of the API. */
  readonly rootPath: string
  /** Of the authorization server. */
  readonly issuer: string
}

/**
 * Runs a program for authors of clients behind a proxy that makes trouble, signs the person "1" in where the program asks for
 * it, and compares what it prints with what each of them must print.
 *
 * @param file of the program, absolute
 * @returns what is wrong; undefined where nothing is
 */
export async function faultOfProgram(
  file: string,
  { origin, rootPath, issuer }: Addresses,
): Promise<string | undefined> {
  const trouble = await startTrouble(origin)
  try {
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, API_URL: trouble.origin + rootPath, AUTH_URL: issuer },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    const errors = text(child.stderr)
    const printed: string[] = []
    for await (const line of createInterface(child.stdout)) {
      const [, start] = /^Sign in at (.+)$/.exec(line) ?? []
      if (start === undefined) {
        printed.push(line)
      } else {
        await visit(new URL(start))
      }
    }
    const [code] = await ended
    return faultIn([
      ['It prints', printed, expected],
      ['Its trouble is', trouble.made.toSorted(), Object.values(troubles).toSorted()],
      ['It ends with', [String(code), await errors], ['0', '']],
    ])
  } finally {
    trouble.close()
  }
}

/** Opens the address that a program prints, and goes through the sign-in to the program's own page. */
async function visit(start: URL): Promise<void> {
  const target = start.searchParams.get('redirect_uri') ?? ''
  const end = await signIn(start, '1', target)
  await (await fetch(end)).text()
}

function faultIn(
  findings: readonly (readonly [what: string, is: readonly string[], want: readonly string[]])[],
): string | undefined {
  const faults = findings
    .filter(([, is, want]) => is.join('\n') !== want.join('\n'))
    .map(([what, is, want]) => `${what}\n${is.join('\n')}\nnot\n${want.join('\n')}`)
  return faults.length > 0 ? faults.join('\n') : undefined
}
