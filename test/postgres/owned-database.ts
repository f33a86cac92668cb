import { inject } from 'vitest'
import { connected } from '../../scripts/postgres/client.ts'
import { timeouts } from '../../scripts/postgres/demands.ts'

export type OwnedDatabase = Awaited<ReturnType<typeof ownedDatabase>>

/** Signs that an address has to encode. */
const password = 'p@ss/w:rd %41'

/** Makes an empty database on the server of the run, as docs/postgres.md has it made. */
export async function ownedDatabase() {
  const server = await connected(inject('postgresUrl'))
  const id = crypto.randomUUID().replaceAll('-', '')
  const [name, owner, service] = [`owned_${id}`, `owner_${id}`, `service_${id}`]
  const urlOf = (username: string) => {
    return Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${name}`,
      username,
      password: encodeURIComponent(password),
    }).href
  }
  for (const role of [owner, service]) {
    await server.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
  }
  for (const [setting, milliseconds] of Object.entries(timeouts)) {
    await server.query(`ALTER ROLE ${service} SET ${setting} = ${milliseconds}`)
  }
  await server.query(`CREATE DATABASE ${name} OWNER ${owner} LOCALE 'C' TEMPLATE template0`)
  await server.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`)
  await server.query(`GRANT CONNECT ON DATABASE ${name} TO ${service}`)
  const admin = await connected(
    Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href,
  )
  await admin.query(
    `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${service}`,
  )
  return {
    /** Its address for the owner of its tables. */
    url: urlOf(owner),
    /** The user of the Worker. */
    service: { name: service, url: urlOf(service) },
    /** Connected as a superuser. */
    admin,
    async drop() {
      await admin.end()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.query(`DROP ROLE ${owner}, ${service}`)
      await server.end()
    },
  }
}
