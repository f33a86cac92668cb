import { expect, it } from 'vitest'
import { terminalLine } from '../../../../scripts/start/log-line.ts'

const request = {
  level: 'info',
  event: 'request',
  requestId: '2aab9e24-3174-4226-b54c-547aee721e77',
  method: 'GET',
  operation: 'users.list',
  status: 200,
  ms: 12,
  limit: 'allowed',
  caller: 'a'.repeat(43),
}

it('A terminal shows a line of the log about a request in short, and any other as it is', () => {
  expect(terminalLine(JSON.stringify(request))).toBe(
    'GET users.list 200 12 ms 2aab9e24-3174-4226-b54c-547aee721e77',
  )
  const { operation: _, ...page } = request
  expect(terminalLine(JSON.stringify(page))).toMatch(/^GET \(no operation\) 200 12 ms /)
  const failure = '{"level":"error","event":"failure","cause":"Error: x"}'
  for (const line of [failure, '{ broken', 'The build has failed.']) {
    expect(terminalLine(line)).toBe(line)
  }
})
