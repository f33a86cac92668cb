import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender } from './contenders.ts'
import { audience, type Issuer } from './issuer.ts'
import { people } from './requests.ts'
import { startServer } from './server/process.ts'

/** A peer: what it is, and how it spells the requests. */
interface Peer {
  readonly name: string
  readonly title: string
  readonly paths: Readonly<Record<string, string>>
}

const include = 'include=citizenships,relatives,placeOfBirth'
const country = '/countries/NO?include=currencies'
/** The peers that the service is measured against, all on the Node that runs the benchmark. */
const peers: readonly Peer[] = [
  {
    name: 'ts-japi',
    title: 'ts-japi on Hono, SQLite',
    paths: { a: '/users', b: `/users?${include}`, c: country, d: '/countries' },
  },
]

/**
 * The peers with the same people, countries and currencies.
 *
 * @param folder where each may keep a database
 */
export function peerContenders(folder: string, { url, jwksUrl }: Issuer): readonly Contender[] {
  return peers.map(({ name, title, paths }) => ({
    name,
    title,
    paths,
    start: async ({ way } = {}) => {
      const mine = join(folder, name)
      await mkdir(mine, { recursive: true })
      const options = { people, issuer: url, audience, jwksUrl, folder: mine, way }
      return startServer(join(import.meta.dirname, 'peers', `${name}.ts`), options)
    },
  }))
}
