import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { paths } from '../../../../scripts/lib/config.ts'

const texts = globSync('.github/workflows/*.yml', { cwd: paths.root }).map((file) =>
  readFileSync(join(paths.root, file), 'utf8'),
)
/** The steps of all jobs, each from the mark of its item on. */
const steps = texts.flatMap((text) => text.split(/^ +- (?=uses|run)/m).slice(1))

describe('The workflows', () => {
  it('give secrets to no step but those that deploy', () => {
    const holders = steps.filter((step) => step.includes('secrets.'))
    const commands = holders.map((step) => step.split(' ').slice(0, 4).join(' '))
    expect(new Set(commands)).toEqual(new Set(['run: npm run deploy']))
    // None stands outside of the steps.
    expect(texts.join('').match(/secrets\./g)).toHaveLength(
      steps.join('').match(/secrets\./g)?.length ?? 0,
    )
  })

  it('leave no credentials of the repository in a checkout, since none of them pushes', () => {
    const checkouts = steps.filter((step) => step.startsWith('uses: actions/checkout@'))
    expect(checkouts.length).toBeGreaterThan(0)
    for (const checkout of checkouts) {
      expect(checkout).toContain('persist-credentials: false')
    }
  })

  it('take actions by commit, with the version in a comment', () => {
    const actions = texts.flatMap((text) => text.match(/uses: (?!\.\/).*/g) ?? [])
    expect(actions).toHaveLength(steps.filter((step) => step.startsWith('uses')).length)
    for (const action of actions) {
      expect(action).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })
})
