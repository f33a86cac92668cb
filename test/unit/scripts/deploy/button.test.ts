import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { readSettings } from '../../../../scripts/deploy/settings.ts'
import { paths } from '../../../../scripts/lib/config.ts'
import { readConfig } from '../../../../src/config.ts'
import { parseKeyRing } from '../../../../src/lib/key-ring.ts'

const read = (name: string) => readFileSync(`${paths.root}/${name}`, 'utf8')
const { scripts, cloudflare } = JSON.parse(read('package.json'))
/** What of wrangler's configuration is looked at here. */
interface Config {
  readonly d1_databases: readonly { readonly binding: string }[]
  readonly durable_objects: { readonly bindings: readonly { readonly name: string }[] }
  readonly vars: Readonly<Record<string, unknown>>
  readonly limits?: object
  readonly migrations: readonly object[]
  readonly workers_dev?: boolean
}
const config: Config = unstable_readConfig(
  { config: paths.wranglerConfig, env: '' },
  { hideWarnings: true },
)
const secrets = parseEnv(read('.dev.vars.example'))

// https://developers.cloudflare.com/workers/platform/deploy-buttons/
describe('What the button "Deploy to Cloudflare" looks at', () => {
  it('are the secrets of the Worker, each in .dev.vars.example', () => {
    expect(Object.keys(secrets)).toEqual(readSettings(paths.wranglerConfig, 'template').secrets)
  })

  it('are no secrets that would work: whoever leaves them as they are is told', () => {
    expect(() => parseKeyRing(secrets.CARD_KEYS ?? '')).toThrow('32 bytes')
  })

  it('is a name and an id for every database, which it replaces by those that it makes', () => {
    expect(config.d1_databases).toEqual([
      expect.objectContaining({
        binding: 'DB',
        database_name: 'users-countries-currencies',
        database_id: expect.stringMatching(/./),
      }),
    ])
  })

  it('is a Worker for an account without a paid plan', () => {
    expect(config.limits).toBeUndefined()
    expect(config.migrations).toEqual([{ tag: 'v1', new_sqlite_classes: ['TokenBucket'] }])
    expect(config.workers_dev).toBe(true)
  })

  it('is a description of each binding that there is, and of each variable that has no default', () => {
    const described = Object.keys(cloudflare.bindings)
    const bindings = [
      ...config.d1_databases.map(({ binding }) => binding),
      ...config.durable_objects.bindings.map(({ name }) => name),
      ...Object.keys(secrets),
    ]
    expect(described).toEqual(expect.arrayContaining(bindings))
    const known = new Set([...bindings, ...Object.keys(config.vars)])
    expect(described.filter((name) => !known.has(name))).toEqual([])
    const { CARD_KEYS = '' } = secrets
    for (const name of described.filter((each) => each.endsWith('_URL'))) {
      expect(() => readConfig({ ...config.vars, CARD_KEYS, [name]: undefined })).toThrow(name)
    }
  })

  it('is a script that deploys, and none that builds: wrangler does that', () => {
    expect(scripts.deploy).toMatch(/deploy\.ts$/)
    expect(scripts).not.toHaveProperty('build')
  })
})
