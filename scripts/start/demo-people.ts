type Relationship = 'HUSBAND' | 'WIFE' | 'SON' | 'DAUGHTER' | 'MOTHER' | 'FATHER' | 'BROTHER'

/** An address as the JSON of `users.addresses` holds it; with a door code it is a home address. */
interface Address {
  readonly city: string
  readonly zip: string
  readonly doorCode?: string
}

/** Where a household lives, and the country across the border: its members are citizens of both. */
interface Place {
  readonly city: string
  readonly zip: string
  readonly country: string
  readonly neighbour: string
}

/** A demo person, the card number not yet encrypted. */
export interface DemoPerson {
  readonly id: string
  /** The subject that owns this person: the `sub` of its user tokens. */
  readonly owner: string
  readonly fullName: string
  readonly email: string
  readonly cardNumber: string | null
  readonly addresses: readonly Address[] | null
  readonly placeOfBirth: string
  readonly citizenships: readonly string[]
  /** Ids of other demo people, and what each of them is to this one. */
  readonly relatives: readonly (readonly [id: string, is: Relationship])[]
}

const oslo = { city: 'Oslo', zip: '0150', doorCode: '4711' }

/** The demo people. The card numbers are those that issuers publish for tests. */
export const does: readonly DemoPerson[] = [
  {
    id: '1',
    owner: '1',
    fullName: 'John Doe',
    email: 'john.doe@example.com',
    cardNumber: '4242 4242 4242 4242',
    addresses: [oslo, { city: 'Bergen', zip: '5003' }],
    placeOfBirth: 'US',
    citizenships: ['NO', 'US'],
    relatives: [
      ['2', 'WIFE'],
      ['3', 'SON'],
      ['4', 'DAUGHTER'],
      ['5', 'BROTHER'],
    ],
  },
  {
    id: '2',
    owner: '2',
    fullName: 'Jane Doe',
    email: 'jane.doe@example.com',
    cardNumber: '5555-5555-5555-4444',
    addresses: [oslo],
    placeOfBirth: 'FI',
    citizenships: ['FI', 'NO'],
    relatives: [
      ['1', 'HUSBAND'],
      ['3', 'SON'],
      ['4', 'DAUGHTER'],
    ],
  },
  {
    id: '3',
    owner: '3',
    fullName: 'Jack Doe',
    email: 'jack.doe@example.com',
    cardNumber: '378282246310005',
    addresses: [{ city: 'London', zip: 'SW1A 1AA' }],
    placeOfBirth: 'NO',
    citizenships: ['NO'],
    relatives: [
      ['1', 'FATHER'],
      ['2', 'MOTHER'],
    ],
  },
  {
    id: '4',
    owner: '4',
    fullName: 'Jessy Doe',
    email: 'jessy.doe@example.com',
    cardNumber: '6011 1111 1111 1117',
    addresses: null,
    placeOfBirth: 'NO',
    citizenships: ['FI', 'NO'],
    relatives: [
      ['1', 'FATHER'],
      ['2', 'MOTHER'],
      ['3', 'BROTHER'],
    ],
  },
  {
    id: '5',
    owner: '5',
    fullName: 'Jared Doe',
    email: 'jared.doe@example.com',
    cardNumber: '4000 0566 5566 5556',
    addresses: [{ city: 'Panamá', zip: '0801' }],
    placeOfBirth: 'US',
    citizenships: ['PA', 'US'],
    relatives: [['1', 'BROTHER']],
  },
]

/** Whom to sign in as: the owners of the Does. */
export const demoPeople: readonly { readonly subject: string; readonly name: string }[] = does.map(
  ({ owner, fullName }) => ({ subject: owner, name: fullName }),
)

/**
 * Further users of John's, who has more than one, so that the examples of the interface description need not delete him. Nobody is
 * related to them.
 */
export const spareDoes: readonly DemoPerson[] = ['Joan', 'Joy', 'Judy', 'June'].map(
  (name, index) => ({
    id: String(does.length + 1 + index),
    owner: '1',
    fullName: `${name} Doe`,
    email: `${name.toLowerCase()}.doe@example.com`,
    cardNumber: null,
    addresses: null,
    placeOfBirth: 'US',
    citizenships: ['US'],
    relatives: [],
  }),
)

/** A household of four: a row for each member, with what each of the members is to that one. */
const household: readonly (readonly (Relationship | null)[])[] = [
  [null, 'WIFE', 'SON', 'SON'],
  ['HUSBAND', null, 'SON', 'SON'],
  ['FATHER', 'MOTHER', null, 'BROTHER'],
  ['FATHER', 'MOTHER', 'BROTHER', null],
]

// Letters beyond ASCII among them, because SQLite folds and orders those differently.
const men = ['Adam', 'Émile', 'Gregor', 'Ivan', 'José', 'Lars', 'Šimon', 'Tomáš'] as const
const women = ['Anna', 'Åse', 'Clara', 'Élise', 'Maria', 'Nora', 'Šárka', 'Zoë'] as const
const surnames = [
  'Ångström',
  'Berg',
  'Dvořák',
  'García',
  "O'Neill",
  'Novak',
  'Rossi',
  'Öberg',
] as const
const places: readonly [Place, ...Place[]] = [
  { city: 'Zürich', zip: '8001', country: 'CH', neighbour: 'IT' },
  { city: 'Praha', zip: '110 00', country: 'CZ', neighbour: 'SK' },
  { city: 'Berlin', zip: '10115', country: 'DE', neighbour: 'FR' },
  { city: 'Galway', zip: 'H91 E9R7', country: 'IE', neighbour: 'GB' },
  { city: 'Maseru', zip: '100', country: 'LS', neighbour: 'ZA' },
  { city: 'Tromsø', zip: '9008', country: 'NO', neighbour: 'SE' },
  { city: 'Panamá', zip: '0801', country: 'PA', neighbour: 'CO' },
]

/** The time in the UUIDv7 of the first generated person; each further one is a second later. */
const epoch = Date.UTC(2026, 0, 1)

/** A die that falls the same way in every run: a linear congruential generator from a fixed seed. */
function die(): (sides: number) => number {
  let state = 0
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** A UUIDv7 (RFC 9562, section 5.7) of this time in milliseconds; the die makes its random part. */
function uuidv7(time: number, roll: (sides: number) => number): string {
  const begin = time.toString(16).padStart(12, '0')
  const random = (digits: number) =>
    Array.from({ length: digits }, () => roll(16).toString(16)).join('')
  return `${begin.slice(0, 8)}-${begin.slice(8)}-7${random(3)}-8${random(3)}-${random(12)}`
}

/** The name as a local part of an e-mail address: lower case, letters without their accents. */
const localPart = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .replace(' ', '.')

/** People with citizenships, a place of birth and three relatives each, owned by the subjects "6" and so on: ten households. */
export const generatedPeople: readonly DemoPerson[] = createPeople(10)

function createPeople(households: number): DemoPerson[] {
  const roll = die()
  const pick = <T>(list: readonly [T, ...T[]]): T => list[roll(list.length)] ?? list[0]

  return Array.from({ length: households }, (_, nth) => {
    const surname = pick(surnames)
    const { city, zip, country, neighbour } = pick(places)
    const address = roll(2) === 0 ? { city, zip } : { city, zip, doorCode: String(1000 + nth) }
    const members = household.map((bonds, member) => {
      const number = nth * household.length + member
      return { bonds, number, id: uuidv7(epoch + number * 1000, roll) }
    })
    return members.map(({ bonds, number, id }): DemoPerson => {
      const owner = String(does.length + 1 + number)
      const fullName = `${pick(bonds.includes('HUSBAND') ? women : men)} ${surname}`
      return {
        id,
        owner,
        fullName,
        email: `${localPart(fullName)}.${owner}@example.com`,
        cardNumber: null,
        addresses: [address],
        placeOfBirth: roll(2) === 0 ? country : neighbour,
        citizenships: [country, neighbour],
        relatives: members.flatMap(({ id }, other) => {
          const bond = bonds[other]
          return bond ? [[id, bond] as const] : []
        }),
      }
    })
  }).flat()
}
