import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

/** Every text of the repository that may cite another one: its path and what it holds. */
const texts = globSync('**/*.{ts,md,sql,toml,js,mjs,html,yml}', {
  cwd: fileURLToPath(root),
  exclude: ['**/node_modules', '**/dist', '**/reports', 'public', 'test/unit/citations.test.ts'],
}).map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))

const documents = texts.filter(({ path }) => path.endsWith('.md'))

function textOf(path: string): string {
  return texts.find((one) => one.path === path)?.text ?? ''
}

/** A text without the line breaks of its comments: a citation may go over the end of a line. */
function flat(text: string): string {
  return text.replace(/\s*\n\s*(?:\*|\/\/|#|>)?\s*/g, ' ')
}

/** The numbers of what a pattern finds, whose first group holds them: "1, 4 and 8". */
function numbersIn(text: string, pattern: RegExp): string[] {
  return [...flat(text).matchAll(pattern)].flatMap(([, list = '']) => list.match(/\d+/g) ?? [])
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The sections that the contract has. */
const sections = [...textOf('docs/contract.md').matchAll(/^## (\d+)\. /gm)].map(
  ([, number = '']) => number,
)

describe('a citation of the contract', () => {
  const cited = /\bcontract, sections? (\d+(?:(?:, | and |, and | to )\d+)*)/gi

  it('has sections to lead to, whose numbers leave none out', () => {
    expect(sections.length).toBeGreaterThanOrEqual(19)
    expect(sections).toEqual(sections.map((_, index) => String(index + 1)))
  })

  it('leads to a section that exists', () => {
    const found = texts.flatMap(({ path, text }) =>
      numbersIn(text, cited).map((number) => ({ path, number })),
    )
    expect(found.filter(({ number }) => !sections.includes(number))).toEqual([])
  })

  it('leads to a section that exists from inside the contract, too', () => {
    const own = textOf('docs/contract.md').replaceAll(/RFC \d+, section [\d.]+/g, '')
    const found = numbersIn(own, /\bsections? (\d+(?:(?:, | and | to )\d+)*)/gi)
    expect(found.length).toBeGreaterThan(10)
    expect(found.filter((number) => !sections.includes(number))).toEqual([])
  })

  it('has one spelling, so that this test finds it', () => {
    const odd = texts.flatMap(({ path, text }) =>
      (
        flat(text).match(/\bcontract(?:,? \d|,? §|'s section| section|: section).{0,20}/gi) ?? []
      ).map((citation) => ({ path, citation })),
    )
    expect(odd).toEqual([])
  })
})

describe('what is cited is in the repository', () => {
  it('no text cites an issue, or a document that only its authors had', () => {
    const foreign =
      /.{0,20}(?:\bthe specification\b|\bspecification, (?:"|rule|\d)|platform notes|\bissues? (?:\d|")).{0,20}/gi
    const found = texts.flatMap(({ path, text }) =>
      (flat(text).match(foreign) ?? []).map((citation) => ({ path, citation })),
    )
    expect(found).toEqual([])
  })

  it('links between documents lead to a file, and to a heading of it', () => {
    const links = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
        ([, file = '', anchor]) => ({
          path,
          target: file === '' ? path : new URL(file, new URL(path, 'file:///')).pathname.slice(1),
          anchor,
        }),
      ),
    )
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(
      ({ target, anchor }) =>
        !existsSync(new URL(target, root)) ||
        (anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor)),
    )
    expect(broken).toEqual([])
  })

  it('paths that documents name exist', () => {
    const folders =
      /^(?:src|test|docs|migrations|public|dev|deploy|data|tools|bench|scripts|clients)\//
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => ({ path, name })),
    )
    const paths = named.filter(({ name }) => folders.test(name))
    expect(paths.length).toBeGreaterThan(50)
    expect(paths.filter(({ name }) => !existsSync(new URL(name, root)))).toEqual([])
  })

  it('the tests that docs/proofs.md names as proofs are there', () => {
    const proofs = [...textOf('docs/proofs.md').matchAll(/`([\w/.*-]+\.ts)`/g)].map(
      ([, name = '']) => name,
    )
    const found = (name: string) =>
      globSync([`test/${name}`, `test/*/${name}`], { cwd: fileURLToPath(root) })
    expect(proofs.length).toBeGreaterThan(20)
    expect(proofs.filter((name) => found(name).length === 0)).toEqual([])
  })

  it('commands that any text names are scripts of a package', () => {
    const scriptsOf = (folder: string): string[] =>
      Object.keys(
        JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')).scripts ?? {},
      )
    const command = /npm run (?:-s )?([a-z]+(?:[:/-][a-z]+)*)(?: --prefix ([\w/]+))?/g
    const named = texts.flatMap(({ path, text }) =>
      [...text.matchAll(command)].map(([, name = '', folder]) => ({ path, name, folder })),
    )
    expect(named.length).toBeGreaterThan(50)
    const missing = named.filter(
      ({ name, folder }) => !scriptsOf(folder ? `${folder}/` : '').includes(name),
    )
    expect(missing).toEqual([])
  })

  it('each name in the tables of docs/architecture.md stands in the files of its row', () => {
    const rows = [
      ...textOf('docs/architecture.md').matchAll(
        /^\|[^|]*\| (`(?:src|test)[^|]*) \| (`\w+`(?:, `\w+`)*) \|$/gm,
      ),
    ].flatMap(([, files = '', names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({
        name,
        files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
      })),
    )
    expect(rows.length).toBeGreaterThan(20)
    const astray = rows.filter(
      ({ files, name }) => !files.some((file) => new RegExp(`\\b${name}\\b`).test(textOf(file))),
    )
    expect(astray).toEqual([])
  })
})
