import { expect, it } from 'vitest'
import { farewell } from '../../../../scripts/postgres/move/steps.ts'

const sums = new Map([['users', { rows: 10, digest: '' }]])
const local = { where: ['--local'], isLocal: true } as unknown as Parameters<
  typeof farewell
>[0]['database']
const remote = { ...local, isLocal: false }
const service = 'http://127.0.0.1:8787'

const said = (moving: Partial<Parameters<typeof farewell>[0]>, isOwn = false): readonly string[] =>
  farewell(
    { to: 'postgres', database: local, env: undefined, service: undefined, ...moving },
    sums,
    1,
    isOwn,
  ).split('\n')

it('a move of a service that is stopped has nothing to say of READ_ONLY', () => {
  expect(said({}, true).slice(2)).toEqual([
    'Next (docs/postgres.md, "Moving"):',
    'Start the service on PostgreSQL: npm start -- --database postgres',
    '',
    'To go back before that: npm start. Nothing there has changed.',
    'To go back afterwards: end it, and npm run move -- --to d1 --empty',
  ])
  expect(said({ to: 'd1' }).join()).toContain(
    'before that: npm start -- --database postgres, with the same POSTGRES_URL',
  )
})

it.each([
  ['that runs on this machine', { service }, `--to d1 --service ${service} --empty`],
  ['at Cloudflare', { database: remote, env: 'staging' }, '--to d1 --env staging --remote --empty'],
])('a move of a service %s says when READ_ONLY ends, and how to go back', (_, moving, back) => {
  const lines = said(moving)
  expect(lines.join('\n')).toContain('2. READ_ONLY to "false"')
  expect(lines.at(-1)).toBe(
    `To go back afterwards: READ_ONLY to "true" on PostgreSQL, and npm run move -- ${back}`,
  )
})
