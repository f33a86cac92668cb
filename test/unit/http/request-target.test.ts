import { expect, it } from 'vitest'
import { targetIn } from '../../../src/http/bounds.ts'
import { startService } from './service.ts'

it.each([
  ['http://x/', '/', ''],
  ['https://x.example:8443/a/b', '/a/b', ''],
  ['http://x/a?', '/a', '?'],
  ['http://x/a?b=/c?d', '/a', '?b=/c?d'],
  ['http://x/%C3%A9//?%', '/%C3%A9//', '?%'],
])('the target of %s is its path and its query string as they stand there', (url, path, search) => {
  expect(targetIn(url)).toEqual({ path, search })
})

it('a percent-encoded spelling of a path takes the methods of the path (contract, section 1)', async () => {
  const { get, remove } = await startService()
  const { status, headers } = await remove('/articles')
  expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  const encoded = await remove('/%61rticles')
  expect([encoded.status, encoded.headers.get('Allow')]).toEqual([405, headers.get('Allow')])
  expect((await get('/%61rticles')).status).toBe(200)
})
