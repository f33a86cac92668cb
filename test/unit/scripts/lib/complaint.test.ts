import { expect, it } from 'vitest'
import { complaint, onDatabase } from '../../../../scripts/lib/complaint.ts'

const failing = (error: Error) => onDatabase('the database X', () => Promise.reject(error))

it.each([
  ['42P01', 'relation "users" does not exist', 'npm run deploy'],
  ['42501', 'permission denied for table users', 'the owner of the tables'],
  ['53300', 'too many clients', 'too many clients'],
  [undefined, 'D1_ERROR: no such table: users', 'npm start'],
  [undefined, 'Failed to parse body as JSON, got: internal error', 'Try again'],
])(
  'What a database lacks is told with its name, also where Drizzle wraps it: %s',
  async (code, message, words) => {
    const error = Object.assign(new Error(message), { code })
    for (const thrown of [error, new Error('Failed query', { cause: error })]) {
      const told = await failing(thrown).catch((error) => error)
      expect([told.name, told.message]).toEqual(['Complaint', expect.stringMatching(words)])
      expect(told.message).toContain('the database X')
    }
  },
)

it('Other errors stay as they are', async () => {
  const known = complaint('Nobody is signed in', new Error('fetch failed'))
  await expect(failing(known)).rejects.toBe(known)
  const fault = new TypeError('x is undefined')
  await expect(failing(fault)).rejects.toBe(fault)
})
