import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { brunoFiles } from '../../../scripts/collections/bruno.ts'
import { httpEnvironments, httpFile } from '../../../scripts/collections/http-file.ts'
import { collectionRequests } from '../../../scripts/collections/requests.ts'
import { stops } from '../../../scripts/tour/stops.ts'

const clients = new URL('../../../clients/', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, clients), 'utf8')

describe('The collections of requests', () => {
  it('in clients/bruno are what npm run collections makes of the tour', () => {
    const files = globSync('**/*.*', { cwd: fileURLToPath(new URL('bruno/', clients)) })
    const made = brunoFiles()
    expect(files.toSorted()).toEqual([...made.keys()].toSorted())
    for (const [path, text] of made) {
      expect(textOf(`bruno/${path}`)).toBe(text)
    }
  })

  it('in clients/tour.http are what npm run collections makes of the tour', () => {
    expect(textOf('tour.http')).toBe(httpFile())
    expect(textOf('http-client.env.json')).toBe(httpEnvironments())
  })

  it('hold each stop of the tour, in its order', () => {
    const told = [...httpFile().matchAll(/^### (\d+)\. (.+), as a (\w+): (\d+)$/gm)]
    expect(told.map(([, ...values]) => values)).toEqual(
      stops.map(({ title, as, status }, index) => [`${index + 1}`, title, as, `${status}`]),
    )
    const titles = [...brunoFiles().keys()].filter((path) => /^\d/.test(path))
    expect(titles.map((title) => title.slice(3, -'.bru'.length))).toEqual(
      stops.map(({ title }) => title),
    )
  })

  it('call each request by what it does, and no two alike', () => {
    expect(new Set(stops.map(({ title }) => title)).size).toBe(stops.length)
    for (const { title } of stops) {
      // A file name on every system.
      expect(title).toMatch(/^[A-Z][a-z]+ [a-zA-Z ,]+$/)
    }
  })

  it('use no variable before a request has given it a value', () => {
    const known = new Set(['api', 'machine', 'person'])
    for (const request of collectionRequests()) {
      const { makesKey, takes, ...sent } = request
      if (makesKey) {
        known.add('key')
      }
      const used = [...JSON.stringify(sent).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)
      expect({ request, unknown: used.filter((name = '') => !known.has(name)) }).toEqual({
        request,
        unknown: [],
      })
      known.add(request.as)
      known.add(takes?.variable ?? '')
    }
    expect(known).toContain('tag')
  })

  it('send a key that is new in each run, and the same in both creates', () => {
    const makers = collectionRequests().filter(({ makesKey }) => makesKey)
    expect(makers.map(({ name }) => name)).toEqual(['users.create'])
    const creates = collectionRequests().filter(({ name }) => name === 'users.create')
    expect(creates.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['{{key}}', '{{key}}'])
  })
})
