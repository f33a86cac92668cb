import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { description } from '../../../src/description.ts'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const read = (path: string) => JSON.parse(textOf(path))
const client = read('clients/typescript/package.json')

describe('The package of the generated client', () => {
  it('shows in its README one whole program of fifteen lines, which a slow test runs', () => {
    const readme = textOf('clients/typescript/README.md')
    const [program = '', ...others] = readme.match(/(?<=^```js\n)[\s\S]*?(?=^```$)/gm) ?? []
    expect(program).toMatch(/^import /)
    expect(program.trim().split('\n')).toHaveLength(15)
    expect(others).toEqual([])
    expect(readme).not.toContain('```ts')
  })

  it('has the version of the service and of its interface description', () => {
    const addresses = { server: 'https://a.example', authUrl: 'https://b.example' }
    expect(client.version).toBe(read('package.json').version)
    expect(client.version).toBe(description(addresses).info.version)
  })

  it('can be published, has no dependency, and is built before', () => {
    expect(client.private).toBeUndefined()
    expect(client.dependencies).toBeUndefined()
    expect(client.scripts.prepack).toMatch(/ build$/)
  })
})
