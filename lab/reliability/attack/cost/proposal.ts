import { registry } from '../../../../src/resources/index.ts'
import { broken } from './bounds.ts'
import type { Measured } from './meter.ts'

/** What a to-many step of an include path multiplies its price by: by the contract (section 10), and as docs/reliability.md proposes. */
const factors = { contract: 2, proposed: 4 }

/** The relationships that lead to many resources. */
const toMany: ReadonlySet<string> = new Set(
  registry.types.flatMap((type) =>
    Object.entries(registry.get(type).relationships).flatMap(([name, { cardinality }]) =>
      cardinality === 'many' ? [name] : [],
    ),
  ),
)

/**
 * Is a bound broken only because the contract's price of an include path is too low? The request is within all bounds at the
 * proposed price then; within those of counts alone where its CPU was measured once and is not to be trusted.
 */
export function isUnderpriced(measured: Measured, options: { readonly withCpu: boolean }): boolean {
  const tokens = proposedTokens(measured)
  return tokens !== measured.tokens && broken({ ...measured, tokens }, options).length === 0
}

/** The rows that an offset skips for one token (contract, section 10). */
const rowsPerToken = 1_000

/**
 * The tokens of the proposed price, from those of the contract: pages of 20, times one and the sum of the paths; and some more for an
 * offset, or for a comparison, which are fewer than one page costs with a path that has a to-many step.
 */
export function proposedTokens({
  path,
  tokens,
}: Pick<Measured, 'path' | 'tokens'>): number | undefined {
  const { pathname, searchParams } = new URL(path, 'http://service.example')
  const sent = searchParams.getAll('include').join(',').split(',').filter(Boolean)
  const free = isOfOne(pathname) ? 1 : 0
  const steps = [...new Set(sent.flatMap(prefixesOf))].map((one) =>
    Math.max(0, one.split('.').filter((step) => toMany.has(step)).length - free),
  )
  const sum = (factor: number): number => steps.reduce((all, each) => all + factor ** each, 0)
  // What is no number is priced as absent.
  const skipped = Math.floor(Number(searchParams.get('page[offset]')) / rowsPerToken) || 0
  const more = sum(factors.proposed) - sum(factors.contract)
  const pages = ((tokens ?? 0) - skipped) / (1 + sum(factors.contract))
  return tokens && tokens + more * Math.max(1, Math.floor(pages))
}

/** The path and those that it goes through: `a.b` is `a` and `a.b`. */
function prefixesOf(path: string): string[] {
  return path.split('.').map((_, index, steps) => steps.slice(0, index + 1).join('.'))
}

/** Do include paths begin at one resource? They do at a resource and its relationships, and at a related resource that is one. */
function isOfOne(pathname: string): boolean {
  const [, , , id, relationships, related = relationships] = pathname.split('/')
  return (
    id !== undefined &&
    (relationships === undefined || relationships === 'relationships' || !toMany.has(related ?? ''))
  )
}
