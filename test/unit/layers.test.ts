import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)

/** The layers of src, top first, and those that each may import from, beside itself. The files on top may import from all. */
const layers = Array.from(
  readFileSync(new URL('docs/architecture.md', root), 'utf8').matchAll(
    /^\| `src\/([\w-]+)` \|[^|]*\|([^|]*)\|$/gm,
  ),
  ([, layer = '', below = '']) => [layer, below.match(/[\w-]+/g) ?? []] as const,
)

/** The folders inside jsonapi, lowest first: each may use those before it, and the files beside them. */
const protocol = ['declare', 'request', 'run', 'atomic']

const inSrc = (names: readonly string[]) => names.map((name) => `src/${name}/`)

/**
 * What each folder may import: folders with all that is in them, or without a slash the files in a folder alone. Folders inside come
 * after those that hold them.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'src/': ['src/'],
  'clients/': ['clients/', 'src/'],
  'scripts/': ['scripts/', 'src/'],
  'test/': ['test/', 'clients/', 'scripts/', 'src/', '.'],
  ...Object.fromEntries(layers.map(([name, below]) => [`src/${name}/`, inSrc([name, ...below])])),
  'src/jsonapi/': ['src/jsonapi', 'src/lib/'],
  ...Object.fromEntries(
    protocol.map((name, at) => [
      `src/jsonapi/${name}/`,
      [
        'src/jsonapi',
        'src/lib/',
        ...inSrc(protocol.slice(0, at + 1).map((one) => `jsonapi/${one}`)),
      ],
    ]),
  ),
}

/** Every source file, as a path from the root of the project, with its text. Generated types are none. */
const sources = globSync('{src,clients,scripts,test}/**/*.ts', {
  cwd: fileURLToPath(root),
  exclude: ['**/node_modules', '**/generated', '**/*.d.ts'],
})
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(fileURLToPath(new URL(path, root)), 'utf8') }))
const ofSrc = sources.filter(({ path }) => path.startsWith('src/'))

/** The files of the project that a file imports. */
function importsOf({ path, text }: { path: string; text: string }): string[] {
  const statements =
    /^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  const specifiers = [...text.matchAll(statements)].map(([, ...names]) => names.find(Boolean) ?? '')
  return specifiers
    .filter((name) => name.startsWith('.'))
    .map((name) => new URL(name, new URL(path, 'file:///')).pathname.slice(1))
}

/** The innermost folder with a rule that a file is in. */
const ruled = (path: string) =>
  Object.keys(allowed).findLast((folder) => path.startsWith(folder)) ?? ''

describe('the layers of src (imports point down, never up, never sideways)', () => {
  it('are folders of src, each of which may import from those below it alone', () => {
    const names = layers.map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(['http', 'resources', 'db', 'jsonapi', 'lib']))
    for (const [at, [, below]] of layers.entries()) {
      expect(names.slice(at + 1)).toEqual(expect.arrayContaining([...below]))
    }
    // A folder that the table does not name is a capability of its own, which only files on top import.
    const folders = ofSrc.map(({ path }) => dirname(path).split('/')[1])
    expect(folders).toEqual(expect.arrayContaining(names))
  })

  it.each(Object.entries(allowed))('%s imports only from %j', (folder, others) => {
    const inside = sources.filter(({ path }) => ruled(path) === folder)
    expect(inside).not.toEqual([])
    const isAllowed = (target: string) =>
      others.some((one) => (one.endsWith('/') ? target.startsWith(one) : dirname(target) === one))
    const wrong = inside.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(target))
        .map((target) => `${file.path} uses ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

it('the protocol knows nothing of the domain, of SQL or of Hono', () => {
  const known = ofSrc
    .filter(({ path }) => /^src\/(?:jsonapi|openapi)\//.test(path))
    .flatMap(({ text }) => text.match(/.*(?:users|countries|currencies|drizzle|hono).*/gi) ?? [])
  expect(known).toEqual([])
})

it('what src exports is explained where it is defined', () => {
  const definition =
    /^export (?:default )?(?:abstract |async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/
  const bare = ofSrc.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines
      .filter((line, at) => definition.test(line) && !lines[at - 1]?.trimEnd().endsWith('*/'))
      .map((line) => `${path}: ${line}`)
  })
  expect(bare).toEqual([])
})
