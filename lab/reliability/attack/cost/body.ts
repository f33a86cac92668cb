import type { Schema } from '../../fuzz/description.ts'
import { unique } from './candidate.ts'
import type { Gene, Genome } from './genes.ts'
import { listed, repeated, type Text } from './text.ts'
import { groups, idFormat, standing } from './world.ts'

/** Bytes of a body beyond those that are allowed, so that too long a one is tried too. */
const longest = 70_000

/** Identifiers that are tried in one list: more than are allowed (contract, section 6). */
const mostIdentifiers = 150

/** Which identifiers a list holds. */
const kinds = [
  'new ones',
  'those that are there',
  'the same one',
  'unknown ones',
  'a wrong type',
  'no meta',
] as const

/** Text that is not a document, repeated. */
const noDocuments = ['[', '{"a":', '"":', '\\\\', ':', ' ', '"', '[[],', '{"x":[', '1,', '\u00e9']

/** The genes of a body of the schema. */
export function bodyGenes(schema: Schema): Gene[] {
  const { attributes, relationships } = membersOf(schema)
  return [
    ...relationships.flatMap((name) => [
      { name: `${name} identifiers`, most: mostIdentifiers },
      { name: `${name} kind`, most: kinds.length - 1 },
    ]),
    ...(attributes.length > 0
      ? [
          { name: 'attributes size', most: 2 },
          { name: 'addresses', most: 300 },
          { name: 'unknown attributes', most: 6_000 },
        ]
      : []),
    { name: 'unknown members', most: 6_000 },
    { name: 'meta members', most: 6_000 },
    { name: 'meta text', most: longest },
    { name: 'meta depth', most: 40 },
    { name: 'document is none', most: noDocuments.length },
    { name: 'document size', most: longest },
  ]
}

/** The genes of large bodies: as many identifiers of each kind as are allowed, and the longest attributes. */
export function largeBodies(schema: Schema): Genome[] {
  return membersOf(schema).relationships.flatMap((name) =>
    [1, 0].flatMap((state) =>
      [20, 100].flatMap((count) =>
        kinds.map((_, kind) => ({
          state,
          [`${name} identifiers`]: count,
          [`${name} kind`]: kind,
          'attributes size': 1,
          addresses: 16,
        })),
      ),
    ),
  )
}

/** Names of the attributes and relationships of a resource's schema; of linkage, one relationship named `data`. */
function membersOf(schema: Schema): {
  attributes: readonly string[]
  relationships: readonly string[]
} {
  const data = schema.properties?.data ?? {}
  const members = data.properties ?? {}
  return members.attributes
    ? {
        attributes: Object.keys(members.attributes.properties ?? {}),
        relationships: Object.keys(members.relationships?.properties ?? {}),
      }
    : { attributes: [], relationships: ['data'] }
}

/** The body. */
export function bodyOf(schema: Schema, method: string, genome: Genome): Text {
  const raw = noDocuments[(genome['document is none'] ?? 0) - 1]
  if (raw !== undefined) {
    return repeated(raw, Math.floor((genome['document size'] ?? 0) / raw.length))
  }
  const { attributes, relationships } = membersOf(schema)
  const data = schema.properties?.data ?? {}
  const content =
    attributes.length > 0
      ? resource(data, method, genome, relationships)
      : linkage(data, 'data', genome)
  return ['{"data":', ...content, ...meta(genome), '}']
}

function resource(
  data: Schema,
  method: string,
  genome: Genome,
  relationships: readonly string[],
): Text {
  const type = data.properties?.type?.enum?.[0] ?? 'users'
  const links = relationships.flatMap((name): Text[] => {
    const schema = data.properties?.relationships?.properties?.[name]?.properties?.data ?? {}
    return (genome[`${name} identifiers`] ?? 0) > 0
      ? [[`"${name}":{"data":`, ...linkage(schema, `${name}`, genome), '}']]
      : []
  })
  return [
    `{"type":"${type}",${method === 'PATCH' ? `"id":"${standing}",` : ''}"attributes":{`,
    ...attributesOf(genome),
    ...unknown('y', genome['unknown attributes'] ?? 0),
    '},"relationships":{',
    ...links.flatMap((link, index) => (index > 0 ? [',', ...link] : link)),
    '}',
    ...unknown('z', genome['unknown members'] ?? 0),
    '}',
  ]
}

/** The attributes of users, which is all that is written here: short ones, the longest, and too long ones. */
function attributesOf(genome: Genome): Text {
  const size = genome['attributes size'] ?? 0
  const name: Text = size === 0 ? ['A'] : repeated('😀', size === 1 ? 128 : 8_000)
  const email =
    size === 0 ? `${unique}@example.com` : `${unique}@${`${'d'.repeat(60)}.`.repeat(3)}com`
  const addresses = genome.addresses ?? 0
  return [
    '"fullName":"',
    ...name,
    `","email":"${email}","creditCardNumber":"4242 4242 4242 4242"`,
    ...(addresses > 0
      ? [
          ',"addresses":[',
          ...listed(`{"city":"${'c'.repeat(size === 0 ? 1 : 70)}","doorCode":"%d"}`, addresses),
          ']',
        ]
      : []),
  ]
}

function unknown(letter: string, count: number): Text {
  return count > 0 ? [',', ...listed(`"${letter}%d":1`, count)] : []
}

function linkage(schema: Schema, name: string, genome: Genome): Text {
  const item = schema.type === 'array' ? (schema.items ?? {}) : schema
  const count = genome[`${name} identifiers`] ?? 0
  if (schema.type !== 'array') {
    return count === 0 ? ['null'] : identifiers(item, 'new ones', 1)
  }
  const kind = kinds[genome[`${name} kind`] ?? 0] ?? 'new ones'
  return ['[', ...identifiers(item, kind, count), ']']
}

/** Identifiers of users or countries; the standing user may have the first thousand of the pool. */
function identifiers(item: Schema, kind: (typeof kinds)[number], count: number): Text {
  const type = String(item.properties?.type?.enum?.[0] ?? 'users')
  const hasMeta = item.properties?.meta?.properties !== undefined && kind !== 'no meta'
  const end = `${hasMeta ? ',"meta":{"relationshipType":"SON"}' : ''}}`
  const start = `{"type":"${kind === 'a wrong type' ? 'dogs' : type}","id":"`
  const first = groups.pool.from + (kind === 'those that are there' ? 0 : 1_000)
  if (kind === 'the same one') {
    const one = `${start}${type === 'users' ? idFormat.replace('%012d', String(first).padStart(12, '0')) : 'NO'}"${end}`
    return count > 0 ? [...repeated(`${one},`, count - 1), one] : []
  }
  if (kind === 'unknown ones') {
    return listed(`${start}Q%d"${end}`, count)
  }
  return type === 'users'
    ? listed(`${start}${idFormat}"${end}`, count, first)
    : [
        countryCodes(count)
          .map((code) => `${start}${code}"${end}`)
          .join(','),
      ]
}

/** Codes of countries that there are; further ones that there are not. */
export function countryCodes(count: number): string[] {
  const known =
    'AD AE AF AG AI AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FR GA GB GD GE GH GM GN GQ GR GT GW GY HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KP KR KW KZ LA'.split(
      ' ',
    )
  return Array.from({ length: count }, (_, index) => known[index] ?? `Q${index}`)
}

function meta(genome: Genome): Text {
  const members = genome['meta members'] ?? 0
  const text = genome['meta text'] ?? 0
  const depth = genome['meta depth'] ?? 0
  if (members + text + depth === 0) {
    return []
  }
  return [
    ',"meta":{"a":',
    ...repeated('[', depth),
    ...repeated(']', depth),
    ...(depth === 0 ? ['1'] : []),
    ...unknown('m', members),
    ...(text > 0 ? [',"t":"', ...repeated('x', text), '"'] : []),
    '}',
  ]
}
