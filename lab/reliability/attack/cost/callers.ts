import { allScopes, type Sign } from '../../lib/tokens.ts'
import { wrongCredential, wrongTokens } from '../../requests/tokens.ts'
import { people } from './world.ts'

/** Who asks, by name: the values of the `Authorization` header. */
export type Callers = Readonly<Record<string, readonly string[]>>

/** Callers whose token is good. */
export const goodCallers = {
  attacker: 'a person who owns 1,000 users',
  writer: 'a person who owns two users',
  reader: 'a person who owns nothing',
  weak: 'a person without a scope',
  client: 'a client',
} as const

/** Tokens that live as long as a run may. */
const day = 86_400

/** The credentials of everybody: good callers by their names, and every wrong token of the fuzzer by its own. */
export async function callersOf(sign: Sign): Promise<Callers> {
  const bearer = async (options: Parameters<Sign>[0]): Promise<readonly string[]> => [
    `Bearer ${await sign({ expiresIn: day, ...options })}`,
  ]
  const wrong = await Promise.all(
    wrongTokens.map(async (name) => {
      const { values } = await wrongCredential(sign, people.writer, name)
      return [name, values] as const
    }),
  )
  return {
    ...Object.fromEntries(wrong),
    attacker: await bearer({ sub: people.attacker, scope: allScopes }),
    writer: await bearer({ sub: people.writer, scope: allScopes }),
    reader: await bearer({ sub: people.reader, scope: allScopes }),
    weak: await bearer({ sub: 'weak' }),
    client: await bearer({}),
  }
}
