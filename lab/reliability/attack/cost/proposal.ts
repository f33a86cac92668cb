import { broken } from './bounds.ts'
import type { Measured } from './meter.ts'

/** What a to-many step of an include path multiplies its price by: by the contract (section 10), and as docs/reliability.md proposes. */
const factors = { contract: 2, proposed: 4 }

/** The relationships that lead to many resources. */
const toMany: ReadonlySet<string> = new Set(['relatives', 'citizenships', 'currencies'])

/**
 * Is a bound broken only because the contract's price of an include path is too low? The request is within all bounds at the
 * proposed price then; within those of counts alone where its CPU was measured once and is not to be trusted.
 */
export function isUnderpriced(measured: Measured, options: { readonly withCpu: boolean }): boolean {
  const tokens = proposedTokens(measured)
  return tokens !== measured.tokens && broken({ ...measured, tokens }, options).length === 0
}

/** The tokens of the proposed price, on a page of the usual size; on a larger page it is more. */
export function proposedTokens({
  path,
  tokens,
}: Pick<Measured, 'path' | 'tokens'>): number | undefined {
  const { pathname, searchParams } = new URL(path, 'http://service.example')
  const sent = searchParams.getAll('include').join(',').split(',').filter(Boolean)
  const paths = new Set(sent.flatMap(prefixesOf))
  const free = isOfOne(pathname) ? 1 : 0
  const more = [...paths].map((one) => {
    const steps = one.split('.').filter((step) => toMany.has(step)).length
    const priced = Math.max(0, steps - free)
    return factors.proposed ** priced - factors.contract ** priced
  })
  return tokens && more.reduce((sum, each) => sum + each, tokens)
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
