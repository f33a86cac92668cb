import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { complaint } from './complaint.ts'

/** The command line of a command. */
export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** As npm knows it: `npm run <name>`. */
  readonly name: string
  /** What it does and which options it takes, without `--help` itself. */
  readonly help: string
  /** Options as `parseArgs` of Node.js describes them. */
  readonly options: Options
}

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true }>
>['values']

/**
 * Reads the arguments of a command. Every command takes `--help`, which ends the process.
 *
 * @throws a complaint in one line about arguments that make no sense
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  { name, help, options }: CommandLine<Options>,
  args: readonly string[] = process.argv.slice(2),
): Values<Options> {
  const config = {
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
  } satisfies ParseArgsConfig
  if (parseArgs({ ...config, strict: false }).values.help === true) {
    console.log(`${help.trimEnd()}\n  --help   this text`)
    process.exit()
  }
  const taken = Object.keys(options).find(isTakenByNpm)
  if (taken !== undefined) {
    throw complaint(
      `npm has taken --${taken} for itself: write -- before the options, as in npm run ${name} -- --${taken}`,
    )
  }
  try {
    return parseArgs(config).values as Values<Options>
  } catch (error) {
    const [what = 'The options make no sense'] = String((error as Error).message).split(/\. |\n/, 1)
    throw complaint(`${what}: npm run ${name} -- --help lists the options.`, error)
  }
}

/**
 * Has npm taken an option that was meant for the command, because `--` was forgotten? npm keeps it in the environment. A `scope` that
 * begins with `@`, and `yes`, stand in many a configuration of npm, and are no options of ours.
 */
function isTakenByNpm(option: string): boolean {
  const value = process.env[`npm_config_${option.replaceAll('-', '_')}`]
  const isOfNpm = option === 'yes' || (option === 'scope' && value?.startsWith('@'))
  return value !== undefined && !isOfNpm
}

/**
 * The whole number that an option holds.
 *
 * @throws a complaint where it holds none
 */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw complaint(`--${option} must be a whole number, not "${text}".`)
  }
  return Number(text)
}
