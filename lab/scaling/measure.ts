import { readdir, readFile } from 'node:fs/promises'
import { importJWK, SignJWT } from 'jose'
import { recounts } from '../../scripts/operate/counters.ts'
import { d1 } from '../../test/support/databases.ts'
import { type Servers, startServers } from '../../test/support/server.ts'
import { audience, createSigningKey, issuer } from '../../test/support/signing-key.ts'
import { operations, type Sample } from './operations.ts'

/** What one request of an operation takes. */
export interface Measured {
  readonly name: string
  /** Tokens of the rate limit. */
  readonly tokens: number
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Of workerd: D1, the objects and HTTP are in it, which Cloudflare does not bill as the Worker's. */
  readonly cpuMilliseconds: number
}

/** Requests of each operation. */
const samples = 200

/** No limit: one caller makes all requests. */
const vars = { RATE_LIMIT_BURST_CAPACITY: '1000000', RATE_LIMIT_REPLENISH_RATE: '100000' }

/**
 * Runs the built Worker, and sends it the requests of every operation.
 *
 * @param users how many there are, besides the demo people
 */
export async function measureOperations(users: number): Promise<readonly Measured[]> {
  const key = await createSigningKey()
  const servers = await startServers([key.published], d1)
  try {
    const origin = await servers.urlOf(vars)
    await addUsers(servers, users)
    const token = await new SignJWT({
      client_id: 'cost-app',
      scope: 'users.read users.sensitive.read users.citizenships.read users.write',
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('cost')
      .setExpirationTime('10m')
      .sign(await importJWK(key.secret, 'ES256'))
    const workerd = await childNamed('workerd')
    const measured: Measured[] = []
    for (const [name, sampleOf] of Object.entries(operations)) {
      measured.push({ name, ...(await measure(servers, origin, token, workerd, sampleOf)) })
    }
    return measured
  } finally {
    await servers.close()
  }
}

async function measure(
  servers: Servers,
  origin: string,
  token: string,
  pid: number,
  sampleOf: (n: number) => Sample,
): Promise<Omit<Measured, 'name'>> {
  let last: Response | undefined
  const before = await cpuMillisecondsOf(pid)
  for (let n = 0; n < samples; n++) {
    last = await send(origin, token, sampleOf(n))
  }
  const cpu = await cpuMillisecondsOf(pid)
  const id = last?.headers.get('X-Request-Id') ?? ''
  const line = (await servers.logsOf(vars)).find((text) => text.includes(id))
  const { rowsRead, rowsWritten } = JSON.parse(line ?? '{}')
  return {
    tokens: Number(last?.headers.get('X-RateLimit-Requested-Tokens')),
    rowsRead,
    rowsWritten,
    cpuMilliseconds: (cpu - before) / samples,
  }
}

async function send(origin: string, token: string, sample: Sample): Promise<Response> {
  const response = await fetch(`${origin}/jsonapi${sample.path}`, {
    method: sample.method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(sample.body !== undefined && { 'Content-Type': 'application/vnd.api+json' }),
      ...sample.headers,
    },
    ...(sample.body !== undefined && { body: JSON.stringify(sample.body) }),
  })
  await response.arrayBuffer()
  if (response.status >= 400) {
    throw new Error(`${sample.method} ${sample.path} answers ${response.status}`)
  }
  return response
}

/** Users that the caller owns, as many as there are samples, and others up to the number asked for. */
async function addUsers(servers: Servers, users: number): Promise<void> {
  const db: D1Database = (await (await servers.workerOf(vars)).getEnv()).DB
  const rows = Array.from({ length: Math.max(samples, users) }, (_, n) => [
    n < samples ? `own-${n}` : `other-${n}`,
    n < samples ? 'cost' : 'nobody',
    `person ${(n * 7919) % 10_007}`,
  ])
  for (let start = 0; start < rows.length; start += 5_000) {
    await db
      .prepare(
        `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
          SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 2, (value ->> 0) || '@example.com',
            (value ->> 0) || '@example.com' FROM json_each(?1)`,
      )
      .bind(JSON.stringify(rows.slice(start, start + 5_000)))
      .run()
  }
  await db.batch(recounts.map((sql) => db.prepare(sql)))
}

/** CPU that a process has used, all threads (`proc(5)`, fields 14 and 15, in hundredths of a second). */
async function cpuMillisecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The process of this name that this one has started. */
async function childNamed(name: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (
      stat.includes(`(${name}`) &&
      stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid)
    ) {
      return Number(pid)
    }
  }
  throw new Error(`${name} does not run`)
}
