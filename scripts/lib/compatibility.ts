import { unstable_readConfig } from 'wrangler'
import { paths } from './config.ts'

const { compatibility_date: date = '', compatibility_flags: flags } = unstable_readConfig({
  config: paths.wranglerConfig,
})

/** The compatibility date and flags of the service, from wrangler.toml: what else runs its code on workerd runs it with the same ones. */
export const compatibility = { date, flags } as const
