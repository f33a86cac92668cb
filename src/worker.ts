import { env, waitUntil } from 'cloudflare:workers'
import { openDatabase } from '#engine'
import { createApp, createBrokenApp } from './app.ts'
import { createRemoteKeys } from './auth/keys.ts'
import { createVerifier } from './auth/token.ts'
import { readConfig } from './config.ts'
import { createCipher } from './db/cipher.ts'
import { removeOldKeys } from './db/keys.ts'
import { createStore } from './db/store.ts'
import { createCallerName } from './http/callers.ts'
import { describe, log } from './http/log.ts'
import { metadataUrl } from './http/pages.ts'
import { createSealer, createSigner, parseKeyRing } from './lib/key-ring.ts'
import { askObjects, createRateLimiter } from './rate-limit/client.ts'
import { createBucketNames } from './rate-limit/name.ts'
import { rateLimitFrom } from './rate-limit/policy.ts'
import { about, registry } from './resources/index.ts'

export { TokenBucket } from './rate-limit/object.ts'

/** Tells the version that runs: its tag, which is the commit that was deployed, or else its id. Not every runtime has it. */
const metadata: Partial<WorkerVersionMetadata> = env.CF_VERSION_METADATA ?? {}
const version = metadata.tag || metadata.id

/** Builds the service from its environment, once per isolate. With a wrong environment, it is a service that says so. */
function build() {
  try {
    const config = readConfig(env)
    const limit = rateLimitFrom(env)
    const ring = parseKeyRing(config.cardKeys)
    const { publicUrl } = config
    const resourceMetadata = publicUrl === undefined ? undefined : metadataUrl(publicUrl)
    const keys = createRemoteKeys(config.jwksUrl, waitUntil)
    const ask = askObjects(env.RATE_LIMITER, limit)
    const database = openDatabase(env, {
      deadlineMs: config.databaseDeadlineMs,
      replicated: config.replicated,
    })
    return createApp({
      registry,
      root: config.rootPath,
      sealer: createSealer(ring, 'cursor'),
      corsOrigins: config.corsOrigins,
      store: createStore({
        database,
        registry,
        cipher: createCipher(ring),
        waitUntil,
        quotas: config.quotas,
        deadlineMs: config.databaseDeadlineMs,
      }),
      logShare: config.logShare,
      version,
      callerName: createCallerName(ring),
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
        issuer: config.issuer,
        clientId: config.docsClientId,
        replicated: config.replicated,
        asset: (request) => env.ASSETS.fetch(request),
      },
      resourceMetadata,
      verify: createVerifier({
        issuer: config.issuer,
        audience: config.audience,
        profile: config.tokenProfile,
        scopes: new Set(Object.keys(about.scopes)),
        resourceMetadata,
        keys,
      }),
      limit,
      fingerprints: createSigner(ring, 'fingerprint of a request'),
      bucketNames: createBucketNames(ring),
      limiter: createRateLimiter({
        ask,
        limit,
        onDegraded: (error) =>
          log({ level: 'warn', event: 'limiter degraded', cause: describe(error) }),
      }),
    })
  } catch (error) {
    return createBrokenApp(error, version)
  }
}

/**
 * Removes old keys of requests (contract, section 12), and logs how many, and how large the database is. A failure is logged, and
 * thrown so that it shows in the platform's list of runs, too. While writes are refused, it does nothing (contract, section 22).
 */
async function removeKeys(): Promise<void> {
  const start = Date.now()
  try {
    const { readOnly, databaseDeadlineMs } = readConfig(env)
    if (readOnly) {
      log({ level: 'info', event: 'old keys kept', cause: 'READ_ONLY is set' })
      return
    }
    const database = openDatabase(env, { deadlineMs: databaseDeadlineMs, replicated: false })
    const done = await removeOldKeys(() => database.connect({ writes: true }))
    const bytes = await database.size()
    log({ level: 'info', event: 'old keys removed', ...done, bytes, ms: Date.now() - start })
  } catch (error) {
    log({ level: 'error', event: 'old keys not removed', cause: describe(error) })
    throw error
  }
}

export default { fetch: build().fetch, scheduled: removeKeys }
