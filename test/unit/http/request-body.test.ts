import { expect, it, vi } from 'vitest'
import { bytesUpTo } from '../../../src/http/bounds.ts'

/** A body like those of Workers: its reader gathers chunks until there are enough bytes. */
function bodyOf(text: string) {
  let rest = text
  const readAtLeast = vi.fn(async (least: number, view: Uint8Array) => {
    const { written } = new TextEncoder().encodeInto(rest.slice(0, least), view)
    rest = rest.slice(written)
    return { done: written === 0, value: view.subarray(0, written) }
  })
  const body = { getReader: () => ({ readAtLeast }) } as unknown as ReadableStream
  return { readAtLeast, body }
}

const unread = () => Promise.reject(new Error('The body is not to be read whole'))

it.each<[what: string, headers: Record<string, string>, sent: string, read: string]>([
  ['without a declared length', {}, 'seven b', 'seven b'],
  ['that is longer than the bound', {}, 'eight by', 'eight b'],
  ['that is declared as too long', { 'Content-Length': '8' }, 'eight by', 'eight b'],
  ['that is empty', {}, '', ''],
])('a body %s costs one read of its stream', async (_, headers, sent, read) => {
  const { body, readAtLeast } = bodyOf(sent)
  const request = { headers: new Headers(headers), body, arrayBuffer: unread }
  expect(new TextDecoder().decode(await bytesUpTo(request, 7))).toBe(read)
  expect(readAtLeast).toHaveBeenCalledTimes(1)
})

it('a long body is read in steps, each of which holds little memory', async () => {
  const text = Array.from({ length: 20_000 }, (_, nth) => nth % 10).join('')
  const { body, readAtLeast } = bodyOf(text)
  const request = { headers: new Headers(), body, arrayBuffer: unread }
  expect(new TextDecoder().decode(await bytesUpTo(request, 65_537))).toBe(text)
  expect(readAtLeast.mock.calls.map(([least, view]) => [least, view.byteLength])).toEqual(
    Array(3).fill([8_192, 8_192]),
  )
})

it('a body of a declared length within the bound is read whole', async () => {
  const { readAtLeast, body } = bodyOf('')
  const arrayBuffer = async () => Uint8Array.of(1, 2).buffer
  const headers = new Headers({ 'Content-Length': '7' })
  const read = await bytesUpTo({ headers, body, arrayBuffer }, 7)
  expect(new Uint8Array(read)).toEqual(Uint8Array.of(1, 2))
  expect(readAtLeast).not.toHaveBeenCalled()
})

it('a request without a body has an empty one', async () => {
  expect(await bytesUpTo(new Request('https://service.example/'), 7)).toEqual(new ArrayBuffer())
})
