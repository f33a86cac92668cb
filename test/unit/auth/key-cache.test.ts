import { describe, expect, it, vi } from 'vitest'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { ringOf, start, store, useDataCentre, warm } from './data-centre.ts'
import { published } from './issuer.ts'
import {
  a,
  answer,
  b,
  background,
  find,
  hour,
  jwks,
  minute,
  pass,
  url,
  useRemoteKeys,
} from './remote-keys.ts'

useRemoteKeys()
useDataCentre()

const down = () => new Response('', { status: 500 })

describe('an isolate that starts cold (contract, section 3)', () => {
  it('does not ask the issuer where another isolate has fetched the keys', async () => {
    await warm()
    expect(await answer('a')).toBe('found')
    expect(jwks.calls).toBe(1)
  })

  it('looks into the cache once for all requests that wait, and never again', async () => {
    await warm()
    store.match.mockClear()
    await Promise.all(Array.from({ length: 20 }, () => answer('a')))
    await answer('a')
    expect(store.match).toHaveBeenCalledOnce()
  })

  it('leaves no timer behind', async () => {
    await warm()
    await find('a')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts the age of keys from their fetch, and asks for no newer ones for 10 minutes', async () => {
    await warm(10 * minute - 1)
    expect(await answer('a')).toBe('found')
    expect(jwks.calls).toBe(1)
  })

  it('waits for a refresh of keys that are 20 minutes old, and refuses a withdrawn one', async () => {
    await warm(20 * minute)
    jwks.answer = () => published(b)
    expect(await answer('a')).toBe('unknown')
    expect(jwks.calls).toBe(2)
  })

  it('serves keys until they are 24 hours old while the issuer is down', async () => {
    await warm(24 * hour - 1)
    jwks.answer = down
    expect(await answer('a')).toBe('found')
    expect(jwks.calls).toBe(2)
  })

  it('has no keys when those in the cache are 24 hours old and the issuer is down', async () => {
    await warm(24 * hour)
    jwks.answer = down
    expect(await answer('a')).toBe(500)
  })

  it('asks the issuer at once for an unknown kid, whatever the cache holds', async () => {
    await warm()
    jwks.answer = () => published(a, b)
    expect(await answer('b')).toBe('found')
    expect(jwks.calls).toBe(2)
  })

  it('answers an unknown kid with 500 and not with 401 while the issuer is down', async () => {
    await warm()
    jwks.answer = down
    expect(await answer('b')).toBe(500)
    expect(await answer('a')).toBe('found')
  })

  it('takes keys that the cache gives late only until the issuer has answered, and keeps those of the issuer', async () => {
    await warm(20 * minute)
    const [late, issuer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [kept] = store.kept.values()
    store.match.mockImplementationOnce(() => late.promise.then(() => kept?.clone()))
    jwks.answer = () => issuer.promise.then(() => published(b))
    const lookup = background.length
    const answers = Promise.all([answer('a'), answer('b')])
    await vi.advanceTimersByTimeAsync(250)
    late.resolve()
    await background[lookup]
    issuer.resolve()
    expect(await answers).toEqual(['unknown', 'found'])
    await Promise.all(background)
    start()
    expect([await answer('b'), await answer('a')]).toEqual(['found', 'unknown'])
    expect(jwks.calls).toBe(3)
  })

  it('finds the keys under a new current key of the ring once another isolate with that ring has fetched them', async () => {
    await warm()
    const next = parseKeyRing(
      JSON.stringify({ current: 'n', keys: { k: 'A'.repeat(43), n: 'B'.repeat(43) } }),
    )
    for (const calls of [2, 2]) {
      start({ ring: next })
      expect(await answer('a')).toBe('found')
      await Promise.all(background)
      expect(jwks.calls).toBe(calls)
    }
  })
})

describe('the entry in the cache', () => {
  it('is written in the background after a fetch that succeeded', async () => {
    start()
    jwks.answer = down
    await answer('a')
    await Promise.all(background)
    expect(store.put).not.toHaveBeenCalled()
    jwks.answer = () => published(a)
    pass(minute)
    const put = Promise.withResolvers<void>()
    store.put.mockImplementationOnce(() => put.promise)
    expect(await answer('a')).toBe('found')
    put.resolve()
    await Promise.all(background)
    expect(store.put).toHaveBeenCalledOnce()
  })

  it('is stored for 24 hours, at an address of the service that is a code', async () => {
    await warm()
    const [[address, response] = []] = store.kept
    expect(address).toMatch(/^https:\/\/api\.example\/[\w-]{43}$/)
    expect(response?.headers.get('Cache-Control')).toBe('max-age=86400')
    expect(response?.headers.has('Vary')).toBe(false)
    expect(response?.status).toBe(200)
  })

  it('has an address of its own for each URL and each ring of keys', async () => {
    await warm()
    for (const options of [{ url: `${url}?` }, { ring: ringOf('B') }]) {
      start(options)
      await find('a')
      await Promise.all(background)
    }
    expect(store.kept.size).toBe(3)
    expect(jwks.calls).toBe(3)
  })
})
