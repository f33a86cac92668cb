import { parseArgs } from 'node:util'
import { runCommand } from '../lib/complaint.ts'
import { environments } from '../lib/config.ts'

// Wrangler runs this before every build (wrangler.toml, [build]), and says what the build is for. Only `wrangler dev` has anything to
// prepare: nothing that is made here is for a deployment.
if (process.env.WRANGLER_COMMAND === 'dev') {
  await runCommand(async () => {
    const { env } = parseArgs({ options: { env: { type: 'string' } } }).values
    const environment = environments.find((name) => name === env)
    const { prepare } = await import('./prepare.ts')
    const { fault, ...prepared } = await prepare(environment, console.log)
    // npm start says by this variable where its own authorization server is.
    const { JWKS_URL: jwksUrl = prepared.jwksUrl } = process.env
    if (fault !== '') {
      console.log(`Every answer is an error for now. ${fault}`)
    } else if (!(await isIssuerThere(jwksUrl))) {
      console.log(
        `No authorization server answers at ${new URL(jwksUrl).origin}: start one with npm run issuer. Without it, the docs page and /oas work, and no token does.`,
      )
    }
  })
}

/** Does the authorization server answer, where it is one on this machine? */
async function isIssuerThere(jwksUrl: string): Promise<boolean> {
  const { hostname } = new URL(jwksUrl)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) {
    return true
  }
  const answer = await fetch(jwksUrl, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  return answer?.ok ?? false
}
