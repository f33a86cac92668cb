import { request as send } from 'node:http'
import { expect, it } from 'vitest'
import { mediaType, serviceUrl } from '../../../support/service.ts'
import { anyWriter, newUser } from './writers.ts'

/** Creates a user by a body without a declared length, in chunks of so many bytes; gives the status. */
async function createInChunks(text: string, bytes: number): Promise<number | undefined> {
  const { hostname, port } = new URL(serviceUrl)
  const { token } = await anyWriter()
  const headers = { authorization: `Bearer ${token}`, 'content-type': mediaType }
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const path = '/jsonapi/users'
  const sent = send({ hostname, port, method: 'POST', path, headers }, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.on('error', reject)
  for (let start = 0; start < text.length; start += bytes) {
    sent.write(text.slice(start, start + bytes))
    // The chunks are sent at different times, so that they arrive as several.
    await new Promise(setImmediate)
  }
  sent.end()
  return promise
}

/** A body of so many bytes: white space around the same user. */
const bodyOf = (bytes: number) => JSON.stringify(newUser()).padEnd(bytes)

it.each([
  ['bytes', 500, 1],
  ['odd chunks, as long as a body may be', 65_536, 977],
  ['one chunk, as long as a body may be', 65_536, 65_536],
])('a body without a declared length is read whole: in %s', async (_, length, bytes) => {
  expect(await createInChunks(bodyOf(length), bytes)).toBe(201)
})

it('a body without a declared length that is one byte too long is refused', async () => {
  expect(await createInChunks(bodyOf(65_537), 977)).toBe(400)
})
