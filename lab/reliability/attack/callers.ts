import { allScopes, type Sign } from '../../../test/bench/issuer.ts'
import { wrongCredential, wrongTokens } from '../../../test/fuzz/tokens.ts'
import { people } from './world.ts'

/** Who asks, by name: the values of the `Authorization` header. */
export type Callers = Readonly<Record<string, readonly string[]>>

/** The credentials of everybody: good callers by their names, and every wrong token of the fuzzer by its own. */
export async function callersOf(sign: Sign): Promise<Callers> {
  const bearer = async (options: Parameters<Sign>[0]): Promise<readonly string[]> => [
    `Bearer ${await sign(options)}`,
  ]
  const wrong = await Promise.all(
    wrongTokens.map(async (name) => {
      const { values } = await wrongCredential(sign, people.writer, name)
      return [name, values] as const
    }),
  )
  return {
    ...Object.fromEntries(wrong),
    // Owns 1,000 users; the writer owns two, the reader none.
    attacker: await bearer({ sub: people.attacker, scope: allScopes }),
    writer: await bearer({ sub: people.writer, scope: allScopes }),
    reader: await bearer({ sub: people.reader, scope: allScopes }),
    weak: await bearer({ sub: 'weak' }),
    client: await bearer({}),
  }
}
