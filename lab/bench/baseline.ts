import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ratiosOf, spreadOf } from './figures.ts'
import type { Samples } from './measure.ts'
import type { Kind } from './requests.ts'

/** The service's CPU as a multiple of another's, by kind of request and by the other's name. */
export type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>

const file = join(import.meta.dirname, 'baseline.json')

/** How much worse a ratio to the floor may become before it is named. */
const tolerance = 1.15

/** The ratios of samples: medians over the rounds. */
export function ratiosFrom(samples: Samples): Ratios {
  return Object.fromEntries(
    Object.entries(samples).map(([kind, { service, ...others }]) => [
      kind,
      Object.fromEntries(
        Object.entries(others).map(([name, { cpu }]) => {
          const { median } = spreadOf(ratiosOf(service?.cpu ?? [], cpu))
          return [name, Number(median.toFixed(3))]
        }),
      ),
    ]),
  )
}

/** Keeps the ratios to compare later ones with. */
export async function writeBaseline(machine: string, ratios: Ratios): Promise<void> {
  await writeFile(file, `${JSON.stringify({ measured: machine, ratios }, null, 2)}\n`)
}

/**
 * What has become worse than the baseline by more than 15 %: a sentence for each. Only ratios to the floor are judged. Those to the
 * peers are reported alone, because they move with the machine and without a change of code.
 */
export async function worsened(ratios: Ratios, kinds: readonly Kind[]): Promise<string[]> {
  const baseline: { readonly ratios: Ratios } = JSON.parse(await readFile(file, 'utf8'))
  return kinds.flatMap(({ name }) => {
    const [ratio, before] = [ratios[name]?.floor, baseline.ratios[name]?.floor]
    return ratio !== undefined && before !== undefined && ratio > before * tolerance
      ? [
          `(${name}) CPU is ${ratio.toFixed(2)} times that of the floor; it was ${before.toFixed(2)}.`,
        ]
      : []
  })
}
