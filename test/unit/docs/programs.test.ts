import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { programsFor } from '../../../scripts/clients/programs.ts'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** The code of files that a page shows, each with the path above it. */
const extractsOf = (page: string) =>
  [...page.matchAll(/^\*\*(\S+)\*\*\n\n```ts\n([\s\S]*?)^```$/gm)].map(
    ([, path = '', code = '']) => ({ path, code }),
  )

const page = textOf('docs/guides/clients.md')
const extracts = extractsOf(page)
const programs = programsFor('http://127.0.0.1:8787/jsonapi/oas')

describe('The page for authors of clients', () => {
  it('shows no code but that of files which it names', () => {
    expect(extracts.length).toBeGreaterThan(15)
    expect(page.match(/^```(?!sh$|$)/gm)).toHaveLength(extracts.length)
  })

  it.each(extracts)('shows code of $path as it stands there', ({ path, code }) => {
    expect(textOf(path)).toContain(code)
  })

  it('leads to each program that is run, and there is no other', () => {
    const files = globSync('clients/programs/*.ts', { cwd: fileURLToPath(root) })
    const names = programs.map(({ name }) => `clients/programs/${name}.ts`)
    expect(files.toSorted()).toEqual([...names, 'clients/programs/sign-in.ts'].toSorted())
    for (const file of files) {
      expect(page).toContain(`](../../${file})`)
      expect(extracts.map(({ path }) => path)).toContain(file)
    }
  })

  it('generates the clients with the commands that the test of the programs runs', () => {
    const told = [...page.matchAll(/^npx (openapi\S* .+)$/gm)].map(([, command]) => command)
    const run = programs.flatMap(({ generate }) =>
      generate ? [[generate.name, ...generate.options].join(' ')] : [],
    )
    expect(told).toEqual(run)
  })
})
