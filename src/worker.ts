import { env, waitUntil } from 'cloudflare:workers'
import { openDatabase } from '#engine'
import { type AppOptions, createApp, createBrokenApp } from './app.ts'
import { createNames } from './auth/names.ts'
import { createRemoteKeys } from './auth/remote-keys.ts'
import { createVerifier } from './auth/token.ts'
import { readConfig } from './config.ts'
import { createStore } from './db/store.ts'
import { describe, log } from './http/log.ts'
import { metadataUrl } from './http/pages.ts'
import type { Capability } from './http/serve.ts'
import { idempotency } from './idempotency/idempotency.ts'
import { createCipher, createSealer } from './lib/key-ring.ts'
import { askObjects, createRateLimiter } from './rate-limit/client.ts'
import { about, registry } from './resources/index.ts'

export { TokenBucket } from './rate-limit/object.ts'

/** The version that runs: its tag, which is the deployed commit, or else its id. Not every runtime tells it. */
const metadata: Partial<WorkerVersionMetadata> = env.CF_VERSION_METADATA ?? {}
const version = metadata.tag || metadata.id

/** Builds the service, once per isolate. With a wrong configuration, it is a service that says so. */
function build() {
  try {
    const config = readConfig(env)
    const { publicUrl, replicated, databaseDeadlineMs: deadlineMs, issuer, limit } = config
    const { cardKeys: ring } = config
    const ask = askObjects(env.RATE_LIMITER, limit)
    const resourceMetadata = publicUrl === undefined ? undefined : metadataUrl(publicUrl)
    const keyFaults = { onStale: warn('keys stale'), onUnusable: warn('key unusable') }
    const keys = createRemoteKeys(config.jwksUrl, keyFaults, waitUntil)
    const database = openDatabase(env, { deadlineMs, replicated })
    const names = createNames(ring)
    const capabilities: Capability[] = [idempotency(ring, database, config.readOnly)]
    const options: AppOptions = {
      registry,
      root: config.rootPath,
      sealer: createSealer(ring, 'cursor'),
      corsOrigins: config.corsOrigins,
      store: createStore({
        database,
        registry,
        cipher: createCipher(ring),
        waitUntil,
        onStale: warn('reference data stale'),
        quotas: config.quotas,
        deadlineMs,
      }),
      logShare: config.logShare,
      version,
      blockedCallers: config.blockedCallers,
      readOnly: config.readOnly,
      waitUntil,
      healthChecks: {
        database: database.ask,
        limiter: () => ask('health', 1),
        keys: keys.ready,
      },
      pages: {
        about,
        publicUrl,
        authUrl: config.authUrl,
        issuer,
        clientId: config.docsClientId,
        replicated,
        asset: (request) => env.ASSETS.fetch(request),
      },
      resourceMetadata,
      verify: createVerifier({
        issuer,
        audience: config.audience,
        profile: config.tokenProfile,
        scopes: new Set(Object.keys(about.scopes)),
        resourceMetadata,
        keys,
        namesOf: names.ofCaller,
      }),
      limit,
      capabilities,
      addressBucket: names.ofAddress,
      limiter: createRateLimiter({ ask, limit, onDegraded: warn('limiter degraded') }),
    }
    const scheduled = () => Promise.all(capabilities.map((each) => each.scheduled?.()))
    return { fetch: createApp(options).fetch, scheduled }
  } catch (error) {
    const { fetch } = createBrokenApp(error, version)
    return { fetch, scheduled: () => Promise.reject(error) }
  }
}

/** Logs failures after which the service goes on. */
function warn(event: string): (error: unknown) => void {
  return (error) => log({ level: 'warn', event, cause: describe(error) })
}

export default build()
