import { createVitest, type Reporter, type TestSpecification } from 'vitest/node'

/** What the parent asks: does a test fail since a file was changed? */
export interface Question {
  /** Absolute path of the changed file. The one of the question before has been put back. */
  readonly changed: string
  /** Only the tests that import it, and not all of the project? */
  readonly related: boolean
  /** Parts of the paths of test files that come first, the likeliest before others. */
  readonly first: readonly string[]
}

/** What the parent is told. */
export interface Answer {
  /** File and name of the first test that failed. */
  readonly found: string | undefined
}

// Holds one project of Vitest, in the folder that it is started in, and runs its tests as often as the parent asks. Each run has a
// process of its own, which loads the changed file anew.
let found: string | undefined
let before = ''
const reporter: Reporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') {
      found ??= `${test.module.relativeModuleId}: ${test.fullName}`
    }
  },
  onTestModuleEnd(module) {
    if (module.errors().length > 0) {
      found ??= `${module.relativeModuleId}: outside of its tests`
    }
  },
  onTestRunEnd(_modules, [error]) {
    if (error !== undefined) {
      found ??= `outside of test files: ${error.message}`
    }
  },
}

/** Runs the files in the order in which they are handed over. */
class AsGiven {
  sort = async (files: TestSpecification[]): Promise<TestSpecification[]> => files
  shard = this.sort
}

const vitest = await createVitest('test', {
  watch: false,
  project: [process.argv[2] ?? 'unit'],
  bail: 1,
  maxWorkers: 1,
  reporters: [reporter],
  sequence: { sequencer: AsGiven },
})

async function answer({ changed, related, first }: Question): Promise<Answer> {
  found = undefined
  vitest.invalidateFile(before)
  vitest.invalidateFile(changed)
  before = changed
  if (related) {
    vitest.config.related = [changed]
  }
  const rank = ({ moduleId }: TestSpecification): number => {
    const index = first.findIndex((part) => moduleId.includes(part))
    return index < 0 ? first.length : index
  }
  const cost = (file: TestSpecification): number =>
    vitest.cache.getTestSpecificationResult(file)?.duration ?? 0
  const files = await vitest.getRelevantTestSpecifications()
  files.sort((one, other) => rank(one) - rank(other) || cost(one) - cost(other))
  if (files.length > 0) {
    await vitest.runTestSpecifications(files)
  }
  return { found }
}

process.on('disconnect', () => vitest.exit())
process.on('message', async (question: Question) => {
  const told = await answer(question).catch((error: Error) => ({
    found: `set-up: ${error.message}`,
  }))
  process.send?.(told)
})
process.send?.('ready')
