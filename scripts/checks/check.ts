import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { outputOf } from '../lib/npm.ts'

/** The parts of the check: the commands of a part run one after the other. */
const parts: Readonly<Record<string, readonly string[]>> = {
  format: ['biome check .'],
  types: [
    'wrangler types src/env.d.ts --include-runtime=false --strict-vars=false --check',
    'tsc --project .',
    'tsc --project test',
  ],
  declarations: ['node scripts/assets.ts'],
  unused: ['knip'],
  deploy: ['node scripts/deploy/deploy.ts --env production --dry-run'],
}

const help = `Runs all checks that need neither a test nor a network. They run in parallel, and each prints its result when it is done.

  npm run check
  npm run check -- --only types

  --only <part>   one part alone:
                  format         formatting and lint, by Biome; npm run format mends
                  types          types, and that src/env.d.ts says what wrangler.toml says
                  declarations   that the service can serve what src/resources declares
                  unused         files, exports and packages that nobody uses, by Knip
                  deploy         a dry run of a deployment of production
`

await runCommand(async () => {
  const { only } = readArguments({ name: 'check', help, options: { only: { type: 'string' } } })
  const names = Object.keys(parts)
  const chosen = names.filter((part) => only === undefined || part === only)
  if (chosen.length === 0) {
    throw complaint(`--only must be one of ${names.join(', ')}, not "${only}".`)
  }
  const passed = await Promise.all(chosen.map(passes))
  const failed = chosen.filter((_, index) => !passed[index])
  if (failed.length > 0) {
    throw complaint(`Fails: ${failed.map((part) => `npm run check -- --only ${part}`).join(', ')}`)
  }
})

/** Runs a part until a command of it fails, and prints what it says. */
async function passes(part: string): Promise<boolean> {
  try {
    for (const command of parts[part] ?? []) {
      const [program = '', ...args] = command.split(' ')
      process.stdout.write(await outputOf(paths.root, program, ...args))
    }
    return true
  } catch (error) {
    console.error((error as Error).message)
    return false
  }
}
