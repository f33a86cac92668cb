import { expect, it } from 'vitest'
import { targetOf } from '../../../src/http/bounds.ts'

it.each([
  ['http://x/', '/', ''],
  ['https://x.example:8443/a/b', '/a/b', ''],
  ['http://x/a?', '/a', '?'],
  ['http://x/a?b=/c?d', '/a', '?b=/c?d'],
  ['http://x/%C3%A9//?%', '/%C3%A9//', '?%'],
])('the target of %s is its path and its query string as they stand there', (url, path, search) => {
  expect(targetOf(url)).toEqual({ path, search })
})
