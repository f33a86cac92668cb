import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A small change of one source file. */
export interface Mutant {
  /** Path from the root of the project. */
  readonly file: string
  /** Where the change begins; both count from 1. */
  readonly line: number
  readonly column: number
  /** Stryker's name for this kind of change. */
  readonly kind: string
  readonly original: string
  readonly replacement: string
  /** The whole file with the change. */
  readonly text: string
}

interface Position {
  readonly line: number
  readonly column: number
}

/** What is used of Stryker, which is installed when the command first runs: the compiler must do without it. */
interface Stryker {
  readonly Instrumenter: new (
    logger: Readonly<Record<string, () => unknown>>,
  ) => {
    instrument(
      files: readonly { name: string; content: string; mutate: boolean }[],
      options: Readonly<Record<string, unknown>>,
    ): Promise<{
      readonly mutants: readonly {
        readonly fileName: string
        readonly mutatorName: string
        readonly replacement: string
        readonly location: { readonly start: Position; readonly end: Position }
      }[]
    }>
  }
}

/** Stryker prints a replacement without the brackets that it needs between other operators. */
const bracketed = ['BooleanLiteral', 'LogicalOperator']

/**
 * All mutants of the files that Stryker's mutators make, but for texts that only people read: those of the description and of
 * declarations, and the messages of errors that no answer shows.
 *
 * @param files paths from the root
 */
export async function mutantsOf(root: string, files: readonly string[]): Promise<Mutant[]> {
  const stryker = import.meta.resolve('@stryker-mutator/instrumenter')
  const { Instrumenter } = (await import(stryker)) as Stryker
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }
  const sources = new Map<string, string>()
  for (const name of files) {
    sources.set(name, await readFile(join(root, name), 'utf8'))
  }
  const { mutants } = await new Instrumenter(silent).instrument(
    Array.from(sources, ([name, content]) => ({ name, content, mutate: true })),
    { excludedMutations: [], ignorers: [], noHeader: true, plugins: null },
  )
  return mutants.flatMap(({ fileName: file, mutatorName: kind, replacement, location }) => {
    const source = sources.get(file) ?? ''
    const [from, to] = [offsetOf(source, location.start), offsetOf(source, location.end)]
    const [before, original] = [source.slice(0, from), source.slice(from, to)]
    if (kind === 'StringLiteral' && isProse(file, before, original)) {
      return []
    }
    const put = bracketed.includes(kind) ? `(${replacement})` : replacement
    const text = before + put + source.slice(to)
    const [line, column] = [location.start.line + 1, location.start.column + 1]
    return [{ file, line, column, kind, original, replacement, text }]
  })
}

/** A position of Stryker counts from 0. */
function offsetOf(source: string, { line, column }: Position): number {
  const before = source.split('\n').slice(0, line)
  return before.reduce((sum, { length }) => sum + length + 1, column)
}

function isProse(file: string, before: string, original: string): boolean {
  const isSentence = /\w,? \w/.test(original)
  const isDeclared = ['src/openapi', 'src/resources'].includes(dirname(file))
  return isSentence && (isDeclared || /(?:Error\(|description: )\s*$/.test(before))
}

/**
 * The mutants in an order by chance. For one seed a change of the same line has the same place in it before and after a change
 * of the code elsewhere, so that two samples can be compared.
 */
export function shuffled(mutants: readonly Mutant[], seed: string): Mutant[] {
  const place = ({ kind, text, line, original, replacement }: Mutant): string => {
    const around = text.split('\n')[line - 1]?.trim()
    return createHash('sha256')
      .update([seed, kind, around, original, replacement].join('\n'))
      .digest('hex')
  }
  return mutants
    .map((mutant) => ({ mutant, at: place(mutant) }))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map(({ mutant }) => mutant)
}
