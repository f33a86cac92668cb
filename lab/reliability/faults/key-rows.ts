import { failed, type KeyMode, type Phase, type Row, success } from './rows.ts'

const minute = 60_000
const hour = 60 * minute

/** The ways in which the key set cannot be had. */
const modes: readonly (readonly [KeyMode, string])[] = [
  ['error', 'answers 500'],
  ['hang', 'hangs'],
  ['html', 'answers HTML'],
  ['redirect', 'redirects to a good key set'],
  ['empty', 'publishes no key'],
  ['huge', 'answers a megabyte'],
  ['refused', 'refuses the connection'],
]

const one = { atLeast: 1, atMost: 1 }
const none = { atLeast: 0, atMost: 0 }

/** A phase so many milliseconds after the first one, in which everything succeeds and the key set is asked for once. */
const at = (name: string, ahead: number, keys: KeyMode): Phase => ({
  name,
  plan: { ahead },
  keys,
  expected: success,
  fetches: one,
})

/**
 * The issuer's key set at fault. The clock of the Worker is put ahead, phase by phase: keys are fresh for
 * 10 minutes, and serve for 24 hours when they cannot be renewed.
 */
export const keyRows: readonly Row[] = [
  ...modes.map(
    ([keys, name]): Row => ({
      group: 'keys',
      name,
      phases: [
        { name: 'cold', keys, expected: failed, fetches: one },
        at('mended', minute, 'good'),
        at('keys 11 minutes old', 12 * minute, keys),
        at('keys 20 minutes old', 21 * minute, keys),
        {
          ...at('in an isolate that starts cold', 23 * hour, keys),
          isolate: 'second',
          expected: failed,
        },
        at('keys 23 hours old', 23 * hour, keys),
        { ...at('keys 25 hours old', 25 * hour, keys), expected: failed },
        at('mended again', 26 * hour, 'good'),
      ],
    }),
  ),
  {
    group: 'keys',
    name: 'rotates in mid-flight',
    phases: [
      { name: 'old key', keys: 'good', expected: success, fetches: one },
      {
        name: 'new key',
        plan: { ahead: minute },
        keys: 'rotated',
        tokens: 'rotated',
        expected: success,
        fetches: one,
      },
      {
        name: 'old key, withdrawn',
        plan: { ahead: 2 * minute },
        keys: 'rotated',
        expected: () => ({ status: 401, code: 'UNAUTHORIZED', stored: 'before' }),
        fetches: one,
      },
    ],
  },
  {
    group: 'keys',
    name: 'withdrawn while an isolate is idle for a day',
    phases: [
      { name: 'before', keys: 'good', expected: success, fetches: one },
      {
        name: 'after',
        plan: { ahead: 23 * hour },
        keys: 'rotated',
        expected: () => ({ status: 401, code: 'UNAUTHORIZED', stored: 'before' }),
        fetches: one,
      },
    ],
  },
  {
    group: 'keys',
    name: 'an isolate that starts cold and meets a new key',
    phases: [
      { name: 'first isolate', keys: 'good', expected: success, fetches: one },
      {
        name: 'second isolate',
        keys: 'rotated',
        tokens: 'rotated',
        isolate: 'second',
        expected: success,
        fetches: one,
      },
    ],
  },
  {
    group: 'keys',
    name: 'publishes a hundred keys',
    phases: [{ name: 'cold', keys: 'many', expected: success, fetches: one }],
  },
  {
    group: 'keys',
    name: 'flood of unknown keys',
    // All refused tokens come from one address, whose bucket is to hold enough for all of them.
    vars: { RATE_LIMIT_BURST_CAPACITY: '500' },
    phases: [
      { name: 'warm', keys: 'good', expected: success, fetches: one },
      ...[31, 32, 40, 50].map((seconds, index) => ({
        name: `after ${seconds} s`,
        plan: { ahead: seconds * 1000 },
        keys: 'good' as const,
        tokens: 'unknown key' as const,
        expected: () => ({ status: 401, code: 'UNAUTHORIZED', stored: 'before' as const }),
        fetches: index === 0 ? one : none,
      })),
      {
        name: 'the endpoint down',
        plan: { ahead: 2 * minute },
        keys: 'error',
        tokens: 'unknown key',
        // It cannot be known whether the key exists, and the caller is not at fault.
        expected: failed,
        fetches: one,
      },
      {
        name: 'the endpoint down still',
        plan: { ahead: 2 * minute + 10_000 },
        keys: 'error',
        tokens: 'unknown key',
        expected: failed,
        fetches: none,
      },
    ],
  },
]
