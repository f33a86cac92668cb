import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, makeCheckout, runCommands } from '../support/checkout.ts'

const project = join(import.meta.dirname, '..', '..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(project, 'package.json'), 'utf8'),
)
const programs = /^node scripts\/run\.js node_modules\/(?:@biomejs\/biome|knip)\//

/** Commands of the project's own: their names, the files behind them, and what package.json has behind those. */
const own = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file, rest = ''] = /^node scripts\/run\.js ((?:scripts|test)\/\S+)(.*)/.exec(line) ?? []
  return file === undefined ? [] : [{ name, file, args: rest.split(' ').filter(Boolean) }]
})

/** One command of each way to read arguments: every command explains itself by one of the two. */
const readers = own.filter(({ name }) => name === 'token' || name === 'fuzz')

let folder: string
let helped: readonly Ended[]
let refused: readonly Ended[]
beforeAll(async () => {
  folder = await makeCheckout()
  const ended = await runCommands(folder, [
    ...own.map(({ file, args }) => ({ file, args: [...args, '--help'] })),
    ...readers.map(({ file }) => ({ file, args: ['--frobnicate'] })),
  ])
  helped = ended.slice(0, own.length)
  refused = ended.slice(own.length)
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

  it.each(own.map(({ name }, index) => ({ name, index })))(
    '$name -- --help explains it',
    ({ name, index }) => {
      const { code, stdout, stderr } = helped[index] as Ended
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^[A-Z][^\n]{40}/)
      expect(stdout).toContain('--help   this text')
      expect(stdout).toMatch(name === 'start' || name === 'test' ? /npm (?:start|test)/ : /npm run/)
    },
  )

  it('refuses an option that a command does not know in one line', () => {
    expect(refused).toHaveLength(2)
    for (const { code, stdout, stderr } of refused) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^Unknown option '--frobnicate': npm run [\w:]+ -- --help .*\n$/)
    }
  })

  it('does nothing else in all these cases', () => {
    expect(existsSync(join(folder, '.wrangler'))).toBe(false)
  })
})
