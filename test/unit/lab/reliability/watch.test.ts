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

test('a request that takes little is sent once', async () => {
  const { send, log } = processOf([mostCpu])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: undefined })
  expect(log).toHaveLength(2)
})

test('a request that takes much every time is told, with the least that it took by itself', async () => {
  const { send } = processOf([900, 700, 600, 800])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: 600 })
})

test('a request that takes little by itself once is none', async () => {
  const { send } = processOf([900, 700, 10, 800])
  expect(await send('a')).toEqual({ answer: 'a', tooMuch: undefined })
})

test('while a request is sent again, no other is under way', async () => {
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
