import { unique } from './candidate.ts'
import type { Gene, Genome } from './genes.ts'
import { listed, type Text } from './text.ts'
import { groups, idFormat, standing } from './world.ts'

/** Media type of atomic operations (contract, section 13). */
export const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/** What an operation does; each is one of the writes. */
const acts = [
  'create',
  'create, with relatives',
  'add relatives',
  'replace relatives',
  'remove relatives',
  'update',
  'unknown',
  'by a lid that is not there',
] as const

/** The genes of a body of atomic operations: two kinds of them in turn. */
export const operationsGenes: readonly Gene[] = [
  { name: 'operations', most: 30 },
  { name: 'operations first act', most: acts.length - 1 },
  { name: 'operations second act', most: acts.length - 1 },
  { name: 'operations identifiers', most: 110 },
  { name: 'operations attributes size', most: 1 },
]

/** The genes of as many operations as are allowed, of any two kinds in turn, with as many identifiers together. */
export const manyOperations: readonly Genome[] = acts.flatMap((_, first) =>
  acts.map((__, second) => ({
    operations: 20,
    'operations first act': first,
    'operations second act': second,
    'operations identifiers': 5,
    state: 1,
  })),
)

/** The body of atomic operations. */
export function operationsBody(genome: Genome): Text {
  const count = genome.operations ?? 0
  const one = (index: number): Text => {
    const act =
      acts[genome[index % 2 === 0 ? 'operations first act' : 'operations second act'] ?? 0] ??
      'create'
    return operation(act, index, genome)
  }
  const all = Array.from({ length: Math.max(1, count) }, (_, index) => one(index))
  return [
    '{"atomic:operations":[',
    ...all.flatMap((text, index) => (index > 0 ? [',', ...text] : text)),
    ']}',
  ]
}

function operation(act: (typeof acts)[number], index: number, genome: Genome): Text {
  const count = genome['operations identifiers'] ?? 0
  const first = groups.pool.from + 1_000 + ((index * count) % 900)
  const identifiers = listed(
    `{"type":"users","id":"${idFormat}","meta":{"relationshipType":"SON"}}`,
    count,
    first,
  )
  const name = (genome['operations attributes size'] ?? 0) === 0 ? 'A' : '😀'.repeat(128)
  const ref = `"ref":{"type":"users","id":"${standing}","relationship":"relatives"}`
  const user = `{"op":"add","data":{"type":"users","lid":"l${index}","attributes":{"fullName":"${name}","email":"${index}.${unique}@example.com"}`
  switch (act) {
    case 'create':
      return [user, '}}']
    case 'create, with relatives':
      return [user, ',"relationships":{"relatives":{"data":[', ...identifiers, ']}}}}']
    case 'add relatives':
      return [`{"op":"add",${ref},"data":[`, ...identifiers, ']}']
    case 'replace relatives':
      return [`{"op":"update",${ref},"data":[`, ...identifiers, ']}']
    case 'remove relatives':
      return [`{"op":"remove",${ref},"data":[`, ...identifiers, ']}']
    case 'update':
      return [
        `{"op":"update","data":{"type":"users","id":"${standing}","attributes":{"fullName":"${name}"}}}`,
      ]
    case 'unknown':
      return ['{"op":"none","x":1,"y":2,"z":3}']
    case 'by a lid that is not there':
      return [`{"op":"remove","ref":{"type":"users","lid":"nobody"}}`]
  }
}
