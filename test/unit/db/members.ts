import fc from 'fast-check'

/** A person as far as an order or a filter of relatives and citizenships sees it. */
export interface Member {
  readonly id: string
  readonly fullName: string
  readonly email: string
}

/** Whom people are related to, and where they are citizens: ids by person, with the kind of the relation. */
export interface World {
  readonly people: readonly Member[]
  readonly relatives: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly citizenships: ReadonlyMap<string, readonly string[]>
}

/** Countries of several regions, some of which share one. */
export const places: Readonly<Record<string, string>> = {
  CA: 'Americas',
  CH: 'Europe',
  FI: 'Europe',
  JP: 'Asia',
  LS: 'Africa',
  NO: 'Europe',
  PA: 'Americas',
  ZA: 'Africa',
}

const kinds = ['SON', 'WIFE', 'BROTHER']

// Few words, so that many tie: by case, by accents, by the form of the accent, and past the letters that an order looks at.
const long = 'n'.repeat(127)
const words = ['Zoë', 'zoe', 'ZOE', 'Zoe\u0308', 'Émile', 'emil', 'Ångström', 'angstrom', 'Öberg']
const names = [...words, `${long}xa`, `${long}xb`, `${long}y`, 'ﬁn', 'Fin', 'Ørsted', '😀', 'Ш']

const ids = Array.from({ length: 48 }, (_, index) => `m${String(index).padStart(2, '0')}`)

/** Forty-eight people, related at random. */
export const worlds: fc.Arbitrary<World> = fc
  .tuple(...ids.map(() => fc.constantFrom(...names)), fc.infiniteStream(fc.nat(999)))
  .map((drawn) => {
    const dice = drawn.at(-1) as Iterator<number>
    const roll = (sides: number): number => Number(dice.next().value) % sides
    const people = ids.map((id, index) => {
      const local = `${'aAbB'.charAt(roll(4))}${roll(9)}.${index}`
      return { id, fullName: String(drawn[index]), email: `${local}@example.com` }
    })
    const relatives = ids.map((id) => {
      const share = roll(10)
      const chosen = ids.filter((other) => other !== id && roll(9) < share)
      return [id, new Map(chosen.map((other) => [other, kinds[roll(3)] ?? '']))] as const
    })
    const citizenships = ids.map(
      (id) => [id, Object.keys(places).filter(() => roll(2) === 0)] as const,
    )
    return { people, relatives: new Map(relatives), citizenships: new Map(citizenships) }
  })

/** The letters of a name, by a rule of its own: accents are a range of characters here. */
const lettersOf = (text: string): string =>
  [...text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')].slice(0, 128).join('').toLowerCase()

/** Bytewise, as SQLite compares text. */
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** People in the order of `sort`, as the parameter spells it; ties by id (contract, section 7). */
export function inOrder(people: readonly Member[], sort: string): readonly Member[] {
  const keys = sort === '' ? [] : sort.split(',')
  return people.toSorted((one, other) => {
    for (const key of keys) {
      const name = key.replace('-', '') as 'fullName' | 'email'
      const difference = compare(lettersOf(one[name]), lettersOf(other[name]))
      if (difference !== 0) {
        return key.startsWith('-') ? -difference : difference
      }
    }
    return compare(one.id, other.id)
  })
}

/** The SQL that makes a world of nothing, as rows written by the service would be. */
export function rowsOf(
  { people, relatives, citizenships }: World,
  keyOf: (name: string, value: string) => string,
): readonly (readonly [sql: string, rows: unknown])[] {
  const pairs = [...relatives].flatMap(([id, of]) => [...of].map(([to, is]) => [id, to, is]))
  const citizens = [...citizenships].flatMap(([id, of]) => of.map((to) => [id, to]))
  return [
    ["DELETE FROM users WHERE id LIKE 'm%' AND ? IS NOT NULL", ''],
    [
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
        SELECT value ->> 0, 'ann', value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
      people.map(({ id, fullName, email }) => [
        id,
        fullName,
        keyOf('fullName', fullName),
        email,
        keyOf('email', email),
      ]),
    ],
    [
      `INSERT INTO user_relatives SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
      pairs,
    ],
    ['INSERT INTO user_citizenships SELECT value ->> 0, value ->> 1 FROM json_each(?)', citizens],
  ]
}
