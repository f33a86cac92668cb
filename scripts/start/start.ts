import { runServer } from './run.ts'

const help = `Runs the service on this machine, with an authorization server and demo data, until Ctrl-C.

  npm start
  PORT=8080 AUTH_PORT=9500 npm start

  PORT        where the service listens; 8787 unless given
  AUTH_PORT   where the authorization server listens; 9400 unless given

The state is kept in .wrangler: npm run reset forgets it. One service at a time runs in a folder.
`

await runServer({ name: 'start', command: 'npm start', help }, async (config) => {
  const { serve } = await import('./serve.ts')
  await serve(config)
})
