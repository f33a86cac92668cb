import { longestQuery } from '../../../../src/jsonapi/request/parameters.ts'
import type { Parameter } from '../../fuzz/description.ts'
import type { Gene, Genome } from './genes.ts'
import { expanded, listed, repeated, series, type Text } from './text.ts'
import { groups, idFormat, ordinary } from './world.ts'

/** Characters of the longest URL that the platform takes, less those of the longest path. */
const longestOfPlatform = 16_384 - 200

/** What a parameter may be; the first one leaves it out. */
const modes = [
  'absent',
  'good',
  'the same item again and again',
  'commas',
  'encoded commas',
  'items that nothing knows',
  'one long item',
  'spaces',
  'broken encoding',
  'the parameter again and again',
  'a number out of bounds',
] as const

/** What fills the rest of a URL. */
const floods = [
  'a%d=&',
  '&',
  '=&',
  'fields[x%d]=&',
  'filter[%d]=x&',
  '%%&',
  '%%2C%d&',
  '[]%d=,&',
  '+=+&',
] as const

const numbersOutOfBounds = [
  '-1',
  '0',
  '101',
  '9223372036854775807',
  '9223372036854775808',
  '1e9',
  '',
]

/** The genes of a query string: for each parameter how it is filled, how much, and with which items. */
export function queryGenes(parameters: readonly Parameter[]): Gene[] {
  return [
    ...parameters.flatMap(({ name }) => [
      { name: `${name} mode`, most: modes.length - 1 },
      { name: `${name} count`, most: longestQuery },
      { name: `${name} which`, most: 255 },
    ]),
    { name: 'flood', most: longestQuery },
    { name: 'flood with', most: floods.length - 1 },
    { name: 'longer than the service takes it', most: 1 },
  ]
}

/** The genes of a query in which two parameters are what they are made for, in each way that is worth a try. */
export function goodPairs(parameters: readonly Parameter[]): Genome[] {
  const good = ({ name }: Parameter, which: number): Genome => ({
    [`${name} mode`]: modes.indexOf('good'),
    [`${name} which`]: which,
    [`${name} count`]: Math.floor(which / 4),
  })
  return parameters.flatMap((one, index) =>
    parameters
      .slice(index + 1)
      .flatMap((other) =>
        [0, 1, 2, 3, 5, 7, 40].map((which) => ({ ...good(one, which), ...good(other, which) })),
      ),
  )
}

/** Sizes of pages from which an include path starts: few resources may have as many more behind them as a full page. */
const pageSizes = [2, 5, 100]

/** Where a page of a collection begins: at the users whose relatives are all different, and at those who have most. */
const pageStarts = [1, 2]

/** The genes of a query with one include path, for each path and each page from which it may start. */
export function includedPaths(parameters: readonly Parameter[]): Genome[] {
  const include = parameters.find(({ name }) => name === 'include')
  const size = parameters.find(({ name }) => name === 'page[limit]')
  const offset = parameters.find(({ name }) => name === 'page[offset]')
  const good = modes.indexOf('good')
  const sizes = pageSizes.map((wanted) => ({
    'page[limit] mode': good,
    'page[limit] count': (size?.schema.maximum ?? wanted) - wanted,
  }))
  const starts = pageStarts.map((which) => ({
    'page[offset] mode': good,
    'page[offset] which': which,
  }))
  return (include?.schema.items?.enum ?? []).flatMap((_, which) =>
    [{}, ...(size ? sizes : [])].flatMap((paged) =>
      (offset ? starts : [{}]).map((started) => ({
        'include mode': good,
        'include which': which,
        ...paged,
        ...started,
      })),
    ),
  )
}

/** The query string, with its question mark, at most as long as the service takes it or, by one gene, as the platform does. */
export function queryOf(parameters: readonly Parameter[], genome: Genome): Text {
  let room = genome['longer than the service takes it'] === 1 ? longestOfPlatform : longestQuery
  const pairs: Text[] = []
  for (const parameter of parameters) {
    const pair = pairOf(parameter, genome, room)
    const length = expanded(pair).length + 1
    if (pair.length > 0 && length <= room) {
      pairs.push(pair)
      room -= length
    }
  }
  const format = floods[genome['flood with'] ?? 0] ?? '&'
  const flood = Math.min(
    genome['longer than the service takes it'] === 1 ? room : (genome.flood ?? 0),
    Math.floor(room / (format.length + 4)),
  )
  if (flood > 0) {
    pairs.push(format.includes('%d') ? series(format, flood) : series(`${format}%.0s`, flood))
  }
  return pairs.length === 0
    ? []
    : ['?', ...pairs.flatMap((pair, index) => (index > 0 ? ['&', ...pair] : pair))]
}

function pairOf({ name, schema }: Parameter, genome: Genome, room: number): Text {
  const mode = modes[genome[`${name} mode`] ?? 0]
  const which = genome[`${name} which`] ?? 0
  const most = (length: number): number =>
    Math.max(
      0,
      Math.min(genome[`${name} count`] ?? 0, Math.floor((room - name.length - 2) / length)),
    )
  const values = (schema.items?.enum ?? []).map(String)
  const start = `${name}=`
  switch (mode) {
    case 'good':
      return [start, ...goodValue(schema, values, genome[`${name} count`] ?? 0, which)]
    case 'the same item again and again': {
      const item = values[which % values.length] ?? 'x'
      return [start, ...repeated(`${item},`, most(item.length + 1)), item]
    }
    case 'commas':
      return [start, ...repeated(',', most(1))]
    case 'encoded commas':
      return [start, ...repeated('%2C', most(3))]
    case 'items that nothing knows':
      return [start, ...listed('x%d', Math.max(1, most(6)))]
    case 'one long item':
      return [start, ...repeated('x', most(1))]
    case 'spaces':
      return [start, ...repeated('+', most(1))]
    case 'broken encoding':
      return [start, ...repeated('%', Math.max(1, most(1)))]
    case 'the parameter again and again':
      return repeated(`${name}=&`, most(name.length + 2))
    case 'a number out of bounds':
      return [start, numbersOutOfBounds[which % numbersOutOfBounds.length] ?? '']
    default:
      return []
  }
}

/** What the parameter is made for, as much of it as its bounds allow. */
function goodValue(
  schema: Parameter['schema'],
  values: readonly string[],
  count: number,
  which: number,
): Text {
  if (schema.type === 'integer') {
    return [String(goodNumber(schema, count, which))]
  }
  if (schema.type === 'array' && values.length === 0) {
    const group = Object.values(groups)[which % 3] ?? groups.far
    return listed(idFormat, 1 + (count % (schema.maxItems ?? 20)), group.from)
  }
  if (schema.type === 'array') {
    const items = Array.from(
      { length: 1 + (count % (schema.maxItems ?? values.length)) },
      (_, index) => values[(which + index * (1 + (which % 7))) % values.length],
    )
    return [[...new Set(items)].join(',')]
  }
  return ['x']
}

/** Numbers within bounds: a page's size, or an offset near where a group of users begins. */
function goodNumber(
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Parameter['schema'],
  count: number,
  which: number,
): number {
  if (maximum < 1_000) {
    return maximum - (count % (maximum - minimum + 1))
  }
  const { far, hubs } = groups
  const starts = [
    0,
    ordinary,
    ordinary + far.count,
    ordinary + far.count + hubs.count,
    1_000,
    2_000,
    98_000,
  ]
  return (starts[which % starts.length] ?? 0) + (count % 1_000)
}
