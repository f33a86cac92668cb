/** A person of the benchmark: alike in every run, and the same for every server. */
export interface Person {
  readonly id: string
  /** The `sub` of the token that owns this person. */
  readonly owner: string
  readonly fullName: string
  readonly email: string
  readonly cardNumber: string
  readonly addresses: readonly { city: string; zip: string; doorCode?: string }[]
  /** Ids of countries. */
  readonly placeOfBirth: string
  readonly citizenships: readonly [string, string]
  /** Ids of three other people, and what each of them is to this one. */
  readonly relatives: readonly (readonly [id: string, is: string])[]
}

// Letters beyond ASCII among them: they cost two bytes where others cost one.
const firstNames =
  'Adam Anna Åse Carl Élise Fatima Gregor Ivan José Lars Maria Nora Oskar Šárka Zoë'
const surnames = 'Ångström Berg Dvořák Eriksen García Hansen Novak O’Neill Öberg Rossi Smith Wójcik'
const cities = 'Bergen Berlin Bogotá Galway København Maseru Oslo Panamá Praha Tromsø Zürich'
const bonds = 'HUSBAND WIFE SON DAUGHTER MOTHER FATHER BROTHER'
const lists = [firstNames, surnames, cities, bonds].map((text) => text.split(' '))

/** When the first person was made, as far as the ids tell; the next a millisecond later. */
const epoch = Date.UTC(2026, 0, 1)

/** A number that looks random and is the same in every run (the finalizer of MurmurHash3). */
function scatter(seed: number): number {
  let hash = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The id of the nth person: a UUIDv7, so that the order of ids is the order of numbers. */
export function personId(nth: number): string {
  const time = (epoch + nth).toString(16).padStart(12, '0')
  const random = [1, 2]
    .map((salt) =>
      scatter(nth * 2 + salt)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(4)}`
}

/**
 * The nth of `total` people, at least four. Relatives lie anywhere among the others, so that a page of
 * people includes three times as many more.
 *
 * @param countries ids of all countries
 */
export function person(nth: number, total: number, countries: readonly string[]): Person {
  let salt = nth * 16
  const roll = (sides: number): number => scatter(salt++) % sides
  const pick = (list: readonly string[] | undefined): string => list?.[roll(list.length)] ?? ''
  const [first, last, towns, kinds] = lists
  const fullName = `${pick(first)} ${pick(last)}`
  const home = roll(countries.length)
  const country = (offset: number): string => countries[(home + offset) % countries.length] ?? ''
  const address = { city: pick(towns), zip: String(1000 + roll(9000)) }
  const relatives = new Map<string, string>()
  while (relatives.size < 3) {
    relatives.set(personId((nth + 1 + roll(total - 1)) % total), pick(kinds))
  }
  return {
    id: personId(nth),
    owner: `person-${nth}`,
    fullName,
    email: `person.${nth}@example.com`,
    cardNumber: `4242 4242 4242 ${String(nth % 10_000).padStart(4, '0')}`,
    addresses: [roll(2) === 0 ? address : { ...address, doorCode: String(roll(10_000)) }],
    placeOfBirth: country(roll(3)),
    citizenships: [country(0), country(1 + roll(countries.length - 1))],
    relatives: [...relatives],
  }
}
