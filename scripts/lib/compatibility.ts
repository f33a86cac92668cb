import { unstable_readConfig } from 'wrangler'
import { paths } from './config.ts'

const { compatibility_date: date = '', compatibility_flags: flags } = unstable_readConfig(
  { config: paths.wranglerConfig, env: '' },
  { hideWarnings: true },
)

/** The compatibility date and flags of the service, from wrangler.toml, for whatever else runs its code on workerd. */
export const compatibility = { date, flags } as const
