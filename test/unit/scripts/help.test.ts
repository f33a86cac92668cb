import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCheckout, runCommand } from '../../support/checkout.ts'

const project = join(import.meta.dirname, '..', '..', '..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(project, 'package.json'), 'utf8'),
)
const programs = /^node scripts\/run\.js node_modules\/(?:@biomejs\/biome|knip|wrangler)\//

/** Commands of the project's own: their names, and the files behind them. */
const own = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file] = /^node scripts\/run\.js ((?:scripts|lab)\/\S+)/.exec(line) ?? []
  return file === undefined ? [] : [{ name, file }]
})

let folder: string
beforeAll(async () => {
  folder = await makeCheckout()
})
afterAll(() => rm(folder, { recursive: true }))

describe('npm run', () => {
  it('runs everything so that missing packages are told in one line: commands of the project, and programs with a help of their own', () => {
    expect(own.length).toBeGreaterThan(15)
    const names = own.map(({ name }) => name)
    const others = Object.entries(scripts).filter(([name]) => !names.includes(name))
    expect(others.filter(([, line]) => !programs.test(line))).toEqual([])
    expect(others.filter(([, line]) => line.includes('&&'))).toEqual([])
  })

  it.concurrent.each(own)(
    '$name -- --help explains it, and does nothing else',
    async ({ name, file }) => {
      // As it is called: what package.json appends stands before.
      const args = (scripts[name] ?? '').split(' ').slice(3)
      const { code, stdout, stderr } = await runCommand(folder, file, [...args, '--help'])

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^[A-Z][^\n]{40}/)
      expect(stdout).toContain('--help   this text')
      expect(stdout).toMatch(name === 'start' || name === 'test' ? /npm (?:start|test)/ : /npm run/)
      expect(existsSync(join(folder, '.wrangler'))).toBe(false)
    },
  )

  // One command of each way to read arguments: the test above shows that every command reads them by one of the two.
  it.concurrent.each(own.filter(({ name }) => name === 'token' || name === 'fuzz'))(
    '$name refuses an option that it does not know in one line, and does nothing else',
    async ({ file }) => {
      const { code, stdout, stderr } = await runCommand(folder, file, ['--frobnicate'])

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^Unknown option '--frobnicate': npm run [\w:]+ -- --help .*\n$/)
      expect(existsSync(join(folder, '.wrangler'))).toBe(false)
    },
  )
})
