import { join } from 'node:path'
import { expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { compatibility } from '../../../../scripts/lib/compatibility.ts'
import { paths } from '../../../../scripts/lib/config.ts'

it.each([
  ['wrangler.toml', 'staging'],
  ['wrangler.toml', 'production'],
])('%s, environment "%s", has the compatibility date and flags of the service', (file, env) => {
  const config = unstable_readConfig(
    { config: join(paths.root, file), env },
    { hideWarnings: true },
  )
  expect(config.compatibility_date).toBe(compatibility.date)
  expect(config.compatibility_flags).toEqual(expect.arrayContaining([...compatibility.flags]))
})
