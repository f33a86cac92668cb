import { afterEach, describe, expect, it, vi } from 'vitest'
import { readArguments } from '../../../../scripts/lib/arguments.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const line = {
  name: 'deploy',
  help: 'Deploys.',
  options: { 'dry-run': { type: 'boolean' }, scope: { type: 'string' } },
} as const

describe('The arguments of a command', () => {
  it('are refused where npm has taken an option because "--" was forgotten: it would go without a dry run', () => {
    vi.stubEnv('npm_config_dry_run', 'true')
    expect(() => readArguments(line, [])).toThrow(
      'npm has taken --dry-run for itself: write -- before the options, as in npm run deploy -- --dry-run',
    )
  })

  it('stand beside a configuration of npm that has nothing to do with the command', () => {
    vi.stubEnv('npm_config_scope', '@example')
    vi.stubEnv('npm_config_loglevel', 'error')
    expect(readArguments(line, ['--dry-run'])).toEqual({ 'dry-run': true })
  })
})
