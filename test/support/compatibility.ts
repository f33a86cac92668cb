import { paths } from '../../scripts/lib/config.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'

const config = readWranglerConfig(paths.wranglerConfig, '')

/** The compatibility date and flags of the service, from wrangler.toml, for whatever else runs its code on workerd. */
export const compatibility = {
  date: config.compatibility_date ?? '',
  flags: config.compatibility_flags,
} as const
