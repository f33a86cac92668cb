import { parseArgs } from 'node:util'
import { complaint } from '../lib/complaint.ts'

/** The environments of wrangler.toml that can be deployed. */
export const environments = ['staging', 'production'] as const

/** What the command line asks for. */
export interface DeployOptions {
  readonly env: (typeof environments)[number]
  /** Check and build, without an account. */
  readonly dryRun: boolean
  /** Make a version that gets no traffic yet, instead of deploying it to everybody. */
  readonly upload: boolean
  /** Secrets to send along, as JSON or as lines `NAME=value`: the first deployment needs one. */
  readonly secretsFile: string | undefined
}

const usage =
  'Usage: npm run deploy -- --env staging|production [--dry-run] [--upload] [--secrets-file FILE]'

/**
 * Reads the command line.
 *
 * @throws a complaint that tells how the command is used
 */
export function readOptions(args: readonly string[]): DeployOptions {
  const values = parse(args)
  const env = environments.find((name) => name === values.env)
  if (!env) {
    throw complaint(usage)
  }
  return {
    env,
    dryRun: values['dry-run'] ?? false,
    upload: values.upload ?? false,
    secretsFile: values['secrets-file'],
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        env: { type: 'string' },
        'dry-run': { type: 'boolean' },
        upload: { type: 'boolean' },
        'secrets-file': { type: 'string' },
      },
    }).values
  } catch (error) {
    throw complaint(usage, error)
  }
}
