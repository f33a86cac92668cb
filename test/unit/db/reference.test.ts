import { afterEach, describe, expect, it, vi } from 'vitest'
import { withReferenceData } from '../../../src/db/reference.ts'
import type { Found, Read } from '../../../src/jsonapi/run/port.ts'
import { wholePage } from './reading.ts'
import { registry as secondDomain } from './second-domain/registry.ts'

describe('reference data', () => {
  const tagsRead: Read = {
    type: 'tags',
    from: { ...wholePage, total: true },
    show: { attributes: ['label'], ownAttributes: [], relationships: [] },
    alongside: [],
    viewer: null,
  }
  const tagsFound = (label: string): Found => ({
    records: [{ type: 'tags', id: 't', owned: false, attributes: { label }, linkage: {} }],
    members: [],
    position: undefined,
    total: undefined,
    related: [],
  })

  /** Reads the label of the only tag. The loads end as the test says, in the order in which they began. */
  function loading() {
    vi.useFakeTimers()
    const loads: PromiseWithResolvers<Found[]>[] = []
    const onStale = vi.fn()
    const read = withReferenceData(
      secondDomain,
      () => {
        const load = Promise.withResolvers<Found[]>()
        loads.push(load)
        return load.promise
      },
      { waitUntil: () => {}, patience: 5_000, onStale },
    )
    const down = () => Promise.reject(new Error('The database is down'))
    const label = async () => (await read([tagsRead], down))[0].records[0]?.attributes.label
    const end = (index: number, label: string) => loads[index]?.resolve([tagsFound(label)])
    return { loads, read, label, end, onStale }
  }
  afterEach(() => void vi.useRealTimers())

  it('are loaded once for all that wait, and serve while the database is down', async () => {
    const { loads, label, end } = loading()
    const waiting = [label(), label()]
    end(0, 'first')
    expect(await Promise.all(waiting)).toEqual(['first', 'first'])
    expect(await label()).toBe('first')
    expect(loads).toHaveLength(1)
  })

  it('are loaded beside the first read of an answer whose include paths lead to them', () => {
    const { loads, read } = loading()
    const pending = () => new Promise<never>(() => {})
    const people = { ...tagsRead, type: 'people' }
    void read([{ ...people, prefetch: ['people'] }], pending)
    expect(loads).toHaveLength(0)
    void read([{ ...people, prefetch: ['people', 'tags'] }], pending)
    expect(loads).toHaveLength(1)
  })

  it('are loaded a second time by a request that comes half a second after a load that stalls', async () => {
    const { loads, label, end } = loading()
    const waiting = [label()]
    await vi.advanceTimersByTimeAsync(499)
    waiting.push(label())
    expect(loads).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    waiting.push(label(), label())
    expect(loads).toHaveLength(2)
    end(1, 'second')
    expect(await Promise.all(waiting.slice(2))).toEqual(['second', 'second'])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(waiting)).toEqual(Array(4).fill('second'))
  })

  it('fail where no load ends in time or well, and are loaded anew by the next request', async () => {
    const { loads, label, end } = loading()
    const failing = expect(label()).rejects.toThrow('not loaded within 5000 ms')
    await vi.advanceTimersByTimeAsync(5_000)
    await failing
    const again = expect(label()).rejects.toThrow('down')
    loads[1]?.reject(new Error('down'))
    await again
    const next = label()
    end(2, 'third')
    expect(await next).toBe('third')
    expect(loads).toHaveLength(3)
  })

  it('are renewed in the background after five minutes, and stay as they are where that fails, which is told', async () => {
    const { loads, label, end, onStale } = loading()
    const first = label()
    end(0, 'first')
    expect(await first).toBe('first')
    const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000)
    await minutes(4)
    await label()
    expect(loads).toHaveLength(1)
    await minutes(1)
    expect([await label(), await label()]).toEqual(['first', 'first'])
    expect(loads).toHaveLength(2)
    loads[1]?.reject(new Error('down'))
    await minutes(5)
    expect(await label()).toBe('first')
    expect(onStale.mock.calls).toEqual([[new Error('down')]])
    end(2, 'third')
    await minutes(0)
    expect(await label()).toBe('third')
  })
})
