import { env, waitUntil } from 'cloudflare:workers'
import { createApp, createBrokenApp } from './app.ts'
import { remoteKeys } from './auth/jwks.ts'
import { createVerifier } from './auth/token.ts'
import { readConfig } from './config.ts'
import { createCipher } from './db/cipher.ts'
import { d1Store } from './db/store.ts'
import { metadataUrl } from './http/discovery.ts'
import { describe, log } from './http/log.ts'
import { parseKeyRing } from './lib/key-ring.ts'
import { createSigner } from './lib/signer.ts'
import { askObjects } from './rate-limit/ask.ts'
import { createRateLimiter } from './rate-limit/client.ts'
import { rateLimitFrom } from './rate-limit/policy.ts'
import { about, registry } from './resources/index.ts'

export { TokenBucket } from './rate-limit/token-bucket.ts'

/** Builds the service from its environment, once per isolate. A wrong one must not keep the isolate from answering. */
function build() {
  try {
    const config = readConfig(env)
    const limit = rateLimitFrom(env)
    const { publicUrl } = config
    const resource = publicUrl === undefined ? {} : { resourceMetadata: metadataUrl(publicUrl) }
    const keys = remoteKeys({ url: config.jwksUrl, waitUntil })
    const ask = askObjects(env.RATE_LIMITER)
    return createApp({
      registry,
      root: config.rootPath,
      corsOrigins: config.corsOrigins,
      store: d1Store({
        registry,
        db: env.DB,
        cipher: createCipher(config.cardKeys),
        waitUntil,
        replicas: config.replicated
          ? {
              name: config.audience,
              signer: createSigner(parseKeyRing(config.cardKeys), 'bookmark'),
            }
          : undefined,
        metered: config.logRows,
        deadlineMs: config.databaseDeadlineMs,
      }),
      serverTiming: config.serverTiming,
      healthChecks: {
        database: () => env.DB.prepare('SELECT 1').first(),
        limiter: () => ask('health', 1),
        keys: keys.check,
      },
      pages: {
        about,
        publicUrl,
        authUrl: config.authUrl,
        issuer: config.issuer,
        clientId: config.docsClientId,
        asset: (request) => env.ASSETS.fetch(request),
      },
      resource,
      verify: createVerifier({
        issuer: config.issuer,
        audience: config.audience,
        resource,
        keys,
      }),
      limit,
      limiter: createRateLimiter({
        ask,
        limits: limit,
        onDegraded: (error) => log('warn', 'limiter degraded', { cause: describe(error) }),
      }),
    })
  } catch (error) {
    return createBrokenApp(error)
  }
}

export default build()
