import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('one version of Miniflare and one of workerd are installed: those that Wrangler brings', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  const folders = Object.keys(JSON.parse(lock).packages)
  expect(folders.filter((folder) => /node_modules\/(?:miniflare|workerd)$/.test(folder))).toEqual([
    'node_modules/miniflare',
    'node_modules/workerd',
  ])
})
