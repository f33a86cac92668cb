import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..', '..')

/** The documents that a document links to, as paths from the root. */
function linkedFrom(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]+\.md)(?:#[^)\s]*)?\)/g)].map(([, file = '']) =>
    normalize(join(path, '..', file)),
  )
}

it('The README leads to every document, by way of others', () => {
  const reached = new Set(['README.md'])
  for (const path of reached) {
    for (const linked of linkedFrom(path)) {
      reached.add(linked)
    }
  }
  const documents = globSync(['*.md', '.github/*.md', 'docs/**/*.md', 'clients/*/README.md'], {
    cwd: root,
  })
  expect(documents.length).toBeGreaterThan(15)
  // GitHub itself shows this one, beside a new pull request.
  const alone = documents.filter(
    (path) => !reached.has(path) && path !== '.github/pull_request_template.md',
  )
  expect(alone).toEqual([])
})
