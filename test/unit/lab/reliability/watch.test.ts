import { expect, test } from 'vitest'
import { createWatch, mostCpu } from '../../../../lab/reliability/fuzz/watch.ts'

/** A process whose CPU is what the requests say that they take, one after the other. */
function processOf(costs: number[]) {
  let used = 0
  const log: string[] = []
  const watch = createWatch(async () => used)
  const send = (name: string) =>
    watch.send(async () => {
      log.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 1))
      used += costs.shift() ?? 0
      log.push(`${name} ends`)
      return name
    })
  return { send, log }
}

test('The watch sends a request once that takes little CPU', async () => {
  const { send, log } = processOf([mostCpu])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: undefined })
  expect(log).toHaveLength(2)
})

test('The watch reports a request that takes much CPU every time, with the least that it took by itself', async () => {
  const { send } = processOf([900, 700, 600, 800])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: 600 })
})

test('The watch does not report a request that takes little CPU by itself once', async () => {
  const { send } = processOf([900, 700, 10, 800])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: undefined })
})

test('The watch sends no other request while it sends one again', async () => {
  const { send, log } = processOf([0, 900, 900, 900, 900, 0, 0])
  await Promise.all([send('a'), send('b')])
  const late = send('c')
  await late
  // The two begin together; what one of them is sent again for stands in pairs.
  const pairs = log.slice(4)
  for (let index = 0; index < pairs.length; index += 2) {
    expect(pairs[index]?.replace('begins', 'ends')).toBe(pairs[index + 1])
  }
})
