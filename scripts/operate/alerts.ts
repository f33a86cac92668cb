import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'

const help = `Runs the alerts and objectives of docs/monitoring on a log, and tells which alerts fire, with their figures.

  npx wrangler tail --env production --format json > tail.log     (stop it after a while)
  npm run alerts -- --log tail.log
  npm run -s alerts -- --log - < tail.log

  --log <file>   lines of the service as they are, the terminal of npm start, or what wrangler tail --format json prints;
                 - is the standard input

Windows are whole minutes of the log's times. Where a line has none, all lines count as written in the same minute.
`

await runCommand(async () => {
  const { log } = readArguments({ name: 'alerts', help, options: { log: { type: 'string' } } })
  if (!log) {
    throw complaint('Which log? Name a file with --log, or - for the standard input.')
  }
  const lines = await textOf(log)
  // Loaded only now: help is told at once.
  const { readLog } = await import('./read-log.ts')
  const { readRules, reportOf } = await import('./rules.ts')
  console.log(reportOf(await readRules(), readLog(lines)))
})

async function textOf(log: string): Promise<string> {
  try {
    return log === '-' ? await text(process.stdin) : await readFile(log, 'utf8')
  } catch (error) {
    throw complaint(`${log} cannot be read: name a file with --log.`, error)
  }
}
