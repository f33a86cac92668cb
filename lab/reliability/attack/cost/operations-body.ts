import { unique } from './candidate.ts'
import type { Gene, Genome } from './genes.ts'
import { listed, type Text } from './text.ts'
import { groups, idFormat, named, standing } from './world.ts'

/** Media type of atomic operations (contract, section 13). */
export const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/** What an operation does to a user that there is, perhaps. */
const changes = [
  'add relatives',
  'replace relatives',
  'remove relatives',
  'update',
  'remove',
] as const

/** Whom it does that to. */
const whose = { standing, named, nobody: 'nobody' } as const

/** What an operation does, and to whom; each is one of the writes. */
const acts = [
  'create',
  'create, with relatives',
  'create the same',
  'unknown',
  'by a lid that is not there',
  ...(Object.keys(whose) as (keyof typeof whose)[]).flatMap((name) =>
    changes.map((change) => ({ change, name })),
  ),
] as const

type Act = (typeof acts)[number]

/** Do the identifiers of linkage name users that there are? */
const kinds = ['users', 'nobody'] as const

/** The genes of a body of atomic operations: two kinds of them in turn. */
export const operationsGenes: readonly Gene[] = [
  { name: 'operations', most: 30 },
  { name: 'operations first act', most: acts.length - 1 },
  { name: 'operations second act', most: acts.length - 1 },
  { name: 'operations identifiers', most: 110 },
  { name: 'operations identify', most: kinds.length - 1 },
  { name: 'operations attributes size', most: 1 },
]

/** Every act, the ones that surely fail first. */
const each = acts.map((_, act) => act).reverse()

/**
 * The genes of every act followed by one that surely fails, and by itself; then of as many operations as are allowed, and of two, of
 * any two acts in turn.
 */
export const pairsOfOperations: readonly Genome[] = [
  ...each.flatMap((first) => [pair(2, first, acts.length - 1), pair(1, first, first)]),
  ...[20, 2].flatMap((operations) =>
    each.flatMap((second) => each.map((first) => pair(operations, first, second))),
  ),
]

function pair(operations: number, first: number, second: number): Genome {
  return {
    operations,
    'operations first act': first,
    'operations second act': second,
    'operations identifiers': 5,
    state: 1,
  }
}

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

function operation(act: Act, index: number, genome: Genome): Text {
  const name = (genome['operations attributes size'] ?? 0) === 0 ? 'A' : '😀'.repeat(128)
  const user = `{"op":"add","data":{"type":"users","lid":"l${index}","attributes":{"fullName":"${name}","email":"${index}.${unique}@example.com"}`
  const identifiers = identifiersOf(index, genome)
  switch (act) {
    case 'create':
      return [user, '}}']
    case 'create, with relatives':
      return [user, ',"relationships":{"relatives":{"data":[', ...identifiers, ']}}}}']
    case 'create the same':
      return [
        `{"op":"add","data":{"type":"users","attributes":{"fullName":"A","email":"same.${unique}@example.com"}}}`,
      ]
    case 'unknown':
      return ['{"op":"none","x":1,"y":2,"z":3}']
    case 'by a lid that is not there':
      return [`{"op":"remove","ref":{"type":"users","lid":"nobody"}}`]
  }
  const target = `"type":"users","id":"${whose[act.name]}"`
  switch (act.change) {
    case 'update':
      return [`{"op":"update","data":{${target},"attributes":{"fullName":"${name}"}}}`]
    case 'remove':
      return [`{"op":"remove","ref":{${target}}}`]
    default:
      return [
        `{"op":"${verbs[act.change]}","ref":{${target},"relationship":"relatives"},"data":[`,
        ...identifiers,
        ']}',
      ]
  }
}

const verbs = {
  'add relatives': 'add',
  'replace relatives': 'update',
  'remove relatives': 'remove',
} as const

function identifiersOf(index: number, genome: Genome): Text {
  const count = genome['operations identifiers'] ?? 0
  const meta = '"meta":{"relationshipType":"SON"}'
  return kinds[genome['operations identify'] ?? 0] === 'nobody'
    ? listed(`{"type":"users","id":"Q%d",${meta}}`, count)
    : listed(
        `{"type":"users","id":"${idFormat}",${meta}}`,
        count,
        groups.pool.from + 1_000 + ((index * count) % 900),
      )
}
