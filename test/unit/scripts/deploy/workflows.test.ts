import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { paths } from '../../../../scripts/lib/config.ts'

/** A step of a job, as far as it is looked at here. */
interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

/** A workflow, as far as it is looked at here. */
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps?: readonly Step[] }>>
}

const texts = globSync('.github/workflows/*.yml', { cwd: paths.root }).map((file) =>
  readFileSync(join(paths.root, file), 'utf8'),
)
const workflows = texts.map((text): Workflow => parse(text))
const steps = workflows.flatMap(({ jobs }) =>
  Object.values(jobs).flatMap(({ steps = [] }) => steps),
)

describe('The workflows', () => {
  it('give secrets to no step but those that deploy or roll back', () => {
    const holders = steps.filter((step) => JSON.stringify(step).includes('secrets.'))
    expect(holders.map(({ run = '' }) => run.split(' ').slice(0, 3).join(' '))).toEqual(
      expect.arrayContaining(['npm run deploy', 'npx wrangler rollback']),
    )
    for (const { run } of holders) {
      expect(run).toMatch(/^(?:npm run deploy -- |npx wrangler rollback )/)
    }
    const inSteps = holders.flatMap((step) => JSON.stringify(step).match(/secrets\./g) ?? [])
    expect(texts.join('').match(/secrets\./g)).toHaveLength(inSteps.length)
  })

  it('leave no credentials of the repository in a checkout, since none of them pushes', () => {
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'))
    expect(checkouts.length).toBeGreaterThan(0)
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ 'persist-credentials': false })
    }
  })

  it('take actions by commit, with the version in a comment', () => {
    const actions = texts.flatMap((text) => text.match(/uses: (?!\.\/).*/g) ?? [])
    expect(actions).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length)
    for (const action of actions) {
      expect(action).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })
})
