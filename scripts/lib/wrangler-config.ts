import { basename } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { complaint } from './complaint.ts'

type WranglerConfig = ReturnType<typeof unstable_readConfig>

/**
 * Reads a configuration of wrangler; inheritance between environments is wrangler's.
 *
 * @param env its top level if empty
 * @throws a complaint that names the file, the line and the error
 */
export function readWranglerConfig(file: string, env: string): WranglerConfig {
  try {
    return unstable_readConfig({ config: file, env }, { hideWarnings: true })
  } catch (error) {
    const { message, location } = error as Error & { location?: { readonly line: number } }
    const line = location ? `:${location.line}` : ''
    throw complaint(`${basename(file)}${line} cannot be read: ${message}.`, error)
  }
}
