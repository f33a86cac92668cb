import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** The commit, the machine and the programs that the figures come from, with the date. */
export function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const hardware = `${availableParallelism()} × ${cpu?.model.trim()}, ${memory} GB, ${type()} ${release()}`
  const programs = ['wrangler', 'workerd'].map((name) => `${name} ${versionOf(name)}`)
  const date = new Date().toISOString().slice(0, 10)
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
    encoding: 'utf8',
  }).trim()
  return `${date}, of commit \`${commit}\`, on ${hardware}, with Node ${process.versions.node}, ${programs.join(', ')}`
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url)
  const from = name === 'wrangler' ? require : createRequire(require.resolve('wrangler'))
  return JSON.parse(readFileSync(from.resolve(`${name}/package.json`), 'utf8')).version
}
