import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultsOf, neededVars, readSettings } from '../../../../scripts/deploy/settings.ts'
import { environments, paths } from '../../../../scripts/lib/config.ts'
import { readConfig } from '../../../../src/config.ts'
import { cardKeys } from '../../../support/card-keys.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { completeSettings } from './cloudflare.ts'

const { vars } = completeSettings

describe('The settings of an environment', () => {
  it.each(neededVars)('are faulty at the var %s alone when it is empty', (name) => {
    expect(faultsOf({ ...completeSettings, vars: { ...vars, [name]: '' } })).toEqual({
      missing: [`The var ${name} is empty.`],
      wrong: [],
    })
  })

  it('include exactly the vars that the Worker has no default for', () => {
    const only = Object.fromEntries(neededVars.map((name) => [name, vars[name]]))
    expect(() => readConfig({ ...only, CARD_KEYS: cardKeys })).not.toThrow()
    for (const name of neededVars) {
      expect(() => readConfig({ ...only, [name]: undefined, CARD_KEYS: cardKeys })).toThrow(name)
    }
  })

  it.each([
    ['an address in the clear', { JWKS_URL: 'http://127.0.0.1:9400/jwks' }, 'JWKS_URL'],
    ['no address', { AUTH_URL: 'id.example.com' }, 'AUTH_URL'],
    ['a flag that is neither', { READ_ONLY: 'yes' }, 'READ_ONLY'],
    ['a var that the service does not know', { QUOTA_OWND: '10' }, 'QUOTA_OWND'],
    ['a secret in the clear', { CARD_KEYS: '{}' }, 'CARD_KEYS'],
  ])('are wrong with %s, also while others are missing', (_, wrong, name) => {
    const faults = faultsOf({ ...completeSettings, vars: { ...vars, TOKEN_ISSUER: '', ...wrong } })
    expect(faults.wrong).toEqual([expect.stringContaining(name)])
    expect(faults.missing).toEqual(['The var TOKEN_ISSUER is empty.'])
  })

  it.each(environments)(
    'stand in wrangler.toml for %s, with nothing of this machine in them',
    (env) => {
      const settings = readSettings(paths.wranglerConfig, env)
      expect(Object.keys(settings.ids)).toEqual(['DB'])
      expect(faultsOf(settings).wrong).toEqual([])
      expect(JSON.stringify(settings)).not.toMatch(/127\.0\.0\.1|localhost|"local"/)
    },
  )

  it('are refused in one line, with file and line, where the file is not TOML', async () => {
    const file = join(await temporaryFolder(), 'wrangler.toml')
    await writeFile(file, '[env.production]\nroutes = ["a.example.com"]\nroutes = []\n')
    expect(() => readSettings(file, 'production')).toThrow(
      /^wrangler\.toml:3 cannot be read: .+\.$/,
    )
  })

  it('have the same vars in every environment', () => {
    const names = environments.map((env) =>
      Object.keys(readSettings(paths.wranglerConfig, env).vars).sort(),
    )
    expect(new Set(names.map(String)).size).toBe(1)
  })
})
