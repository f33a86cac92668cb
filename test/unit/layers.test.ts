import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The layers of src, and those that each may import from, beside itself. The files on top may import from all. */
const layers: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  jsonapi: ['lib'],
  openapi: ['jsonapi', 'lib'],
  db: ['jsonapi', 'lib'],
  auth: ['jsonapi', 'lib'],
  'rate-limit': ['lib'],
  resources: ['db', 'openapi', 'jsonapi', 'lib'],
  http: ['openapi', 'jsonapi', 'auth', 'rate-limit', 'lib'],
  idempotency: ['http', 'db', 'auth', 'jsonapi', 'lib'],
}

/** The folders inside jsonapi, lowest first: each may use those before it. */
const protocol = ['declare', 'request', 'run', 'atomic']

/** The parts of the project, and those that each may import from. */
const parts: Readonly<Record<string, readonly string[]>> = {
  src: [],
  clients: ['src'],
  scripts: ['src'],
  test: ['clients', 'scripts', 'src'],
}

const root = new URL('../../', import.meta.url)
/** Every source file below a folder, as a path from the root of the project, with its text. Generated types are none. */
function filesOf(folder: string): { path: string; text: string }[] {
  return globSync(`${folder}/**/*.ts`, {
    cwd: fileURLToPath(root),
    exclude: ['**/node_modules', '**/generated', '**/*.d.ts'],
  })
    .map((path) => path.replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(fileURLToPath(new URL(path, root)), 'utf8') }))
}

const sources = filesOf('src').map(({ path, text }) => ({
  path,
  text,
  layer: path.split('/').length > 2 ? path.split('/')[1] : undefined,
}))

/** What a file imports: of relative paths the file they lead to. */
function importsOf({ path, text }: { path: string; text: string }): string[] {
  const statements =
    /^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  const specifiers = [...text.matchAll(statements)].map(([, ...names]) => names.find(Boolean) ?? '')
  return specifiers.map((name) =>
    name.startsWith('.') ? new URL(name, new URL(path, 'file:///')).pathname.slice(1) : name,
  )
}

/** Every import of src: the layer and the file that it is in, and its target. */
const imports = sources.flatMap((source) =>
  importsOf(source).map((target) => ({ from: source.path, layer: source.layer, target })),
)

describe('the layers of src (imports point down, never up, never sideways)', () => {
  it('are the folders of src, and stand in docs/architecture.md as they do here', () => {
    const document = readFileSync(new URL('docs/architecture.md', root), 'utf8')
    const rows = [...document.matchAll(/^\| `src\/([\w-]+)` \|[^|]*\|([^|]*)\|$/gm)]
    const told = rows.map(([, layer = '', below = '']) => [
      layer,
      (below.match(/[\w-]+/g) ?? []).toSorted(),
    ])
    const held = Object.entries(layers).map(([layer, below]) => [layer, below.toSorted()])
    expect(told.toSorted()).toEqual(held.toSorted())
    const folders = new Set(sources.flatMap(({ layer }) => layer ?? []))
    expect([...folders]).toEqual(expect.arrayContaining(Object.keys(layers)))
  })

  it('have no import of a folder that the table does not name, which is a capability of its own: only files on top have', () => {
    const wrong = imports.filter(({ layer, target }) => {
      const [folder, other = '', file] = target.split('/')
      const isNamed = other in layers || file === undefined || other === layer
      return layer !== undefined && folder === 'src' && !isNamed
    })
    expect(wrong).toEqual([])
  })

  it.each(Object.entries(layers))('%s imports only from %j', (layer, below) => {
    const inside = imports.filter((entry) => entry.layer === layer)
    expect(inside).not.toEqual([])
    const wrong = inside.filter(({ target }) => {
      const [folder, other = ''] = target.split('/')
      return folder === 'src' && !target.startsWith(`src/${layer}/`) && !below.includes(other)
    })
    expect(wrong).toEqual([])
  })

  it.each(protocol)('jsonapi/%s uses no folder that comes after it', (folder) => {
    const inside = imports.filter(({ from }) => from.startsWith(`src/jsonapi/${folder}/`))
    expect(inside).not.toEqual([])
    const after = protocol.slice(protocol.indexOf(folder) + 1)
    expect(inside.filter(({ target }) => after.includes(target.split('/')[2] ?? ''))).toEqual([])
  })

  it('what stands in jsonapi itself uses none of its folders', () => {
    const ground = imports.filter(({ from }) => /^src\/jsonapi\/[^/]+$/.test(from))
    expect(ground).not.toEqual([])
    expect(ground.filter(({ target }) => /^src\/jsonapi\/.*\//.test(target))).toEqual([])
  })

  it.each(Object.entries(parts))('%s uses no part but %j', (part, others) => {
    const outward = filesOf(part).flatMap((file) =>
      importsOf(file)
        .filter((target) => Object.keys(parts).includes(target.split('/')[0] ?? ''))
        .filter((target) => ![part, ...others].some((name) => target.startsWith(`${name}/`)))
        .map((target) => `${file.path} uses ${target}`),
    )
    expect(outward).toEqual([])
  })
})

it('the protocol knows nothing of the domain, of SQL or of Hono', () => {
  const known = sources
    .filter(({ layer }) => layer === 'jsonapi' || layer === 'openapi')
    .flatMap(({ text }) => text.match(/.*(?:users|countries|currencies|drizzle|hono).*/gi) ?? [])
  expect(known).toEqual([])
})

it('what src exports is explained where it is defined', () => {
  const definition =
    /^export (?:default )?(?:abstract |async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/
  const bare = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines
      .filter((line, at) => definition.test(line) && !lines[at - 1]?.trimEnd().endsWith('*/'))
      .map((line) => `${path}: ${line}`)
  })
  expect(bare).toEqual([])
})
