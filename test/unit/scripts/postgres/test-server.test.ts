import { expect, it } from 'vitest'
import { testAddressIn } from '../../../../scripts/postgres/test-server.ts'

it('tests make databases on this machine, and elsewhere only where somebody says so', () => {
  const [here, there] = ['127.0.0.1:5432', 'db.example.com'].map(
    (host) => `postgres://users:s3cret@${host}/users`,
  )
  expect(testAddressIn({})).toBeUndefined()
  expect(testAddressIn({ POSTGRES_URL: here })).toBe(here)
  expect(() => testAddressIn({ POSTGRES_URL: there })).toThrow(
    /^Tests would make databases beside users at db\.example\.com: unset POSTGRES_URL/,
  )
  expect(testAddressIn({ POSTGRES_URL: there, POSTGRES_TESTS_ANYWHERE: 'true' })).toBe(there)
})
