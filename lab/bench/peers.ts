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
  /** The module in `peers`, where it is not the name. */
  readonly module?: string
  readonly paths: Readonly<Record<string, string>>
}

const include = 'include=citizenships,relatives,placeOfBirth'
const country = '/countries/NO?include=currencies'
/** Its pages show linkage of what is included only: the ids alone are asked for. */
const nest = {
  page: 'page%5Bnumber%5D=1&page%5Bsize%5D=20',
  users: `${include}&fields%5Btarget%5D=id,fullName,email,addresses&fields%5Bcitizenships%5D=id&fields%5Brelatives%5D=id&fields%5BplaceOfBirth%5D=id`,
  countries: 'include=currencies&fields%5Btarget%5D=id,name,region&fields%5Bcurrencies%5D=id',
} as const
/** The peers that the service is measured against, all on the Node that runs the benchmark. */
const peers: readonly Peer[] = [
  {
    name: 'ts-japi',
    title: 'ts-japi on Hono, SQLite',
    paths: { a: '/users', b: `/users?${include}`, c: country, d: '/countries' },
  },
  {
    name: 'json-api-nestjs',
    title: 'json-api-nestjs, SQLite',
    paths: {
      a: `/users?${nest.page}&${nest.users}`,
      b: `/users?${nest.page}&${include}`,
      c: country,
      d: `/countries?${nest.page}&${nest.countries}`,
    },
  },
  {
    name: 'json-api-nestjs-bare',
    title: 'json-api-nestjs, no linkage',
    module: 'json-api-nestjs',
    paths: { a: `/users?${nest.page}`, d: `/countries?${nest.page}` },
  },
]

/**
 * The peers with the same people, countries and currencies.
 *
 * @param folder where each may keep a database
 */
export function peerContenders(folder: string, { url, jwksUrl }: Issuer): readonly Contender[] {
  return peers.map(({ name, title, module = name, paths }) => ({
    name,
    title,
    paths,
    start: async ({ way } = {}) => {
      const mine = join(folder, name)
      await mkdir(mine, { recursive: true })
      const options = { people, issuer: url, audience, jwksUrl, folder: mine, way }
      return startServer(join(import.meta.dirname, 'peers', `${module}.ts`), options)
    },
  }))
}
