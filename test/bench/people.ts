import type { DemoPerson } from '../../scripts/start/demo-people.ts'

// Letters beyond ASCII among them: they cost two bytes where others cost one.
const firstNames = 'Adam Anna Åse Élise Fatima Gregor José Maria Nora Oskar Šárka Zoë'.split(' ')
const surnames = 'Ångström Berg Dvořák Eriksen García Hansen O’Neill Öberg Smith'.split(' ')
const cities = 'Bergen Bogotá Galway København Maseru Oslo Praha Tromsø Zürich'.split(' ')
const bonds = 'HUSBAND WIFE SON DAUGHTER MOTHER FATHER BROTHER'.split(' ')

/** The id of the nth person: a UUIDv7 of a millisecond of its own, so that the order of ids is the order of numbers. */
export function personId(nth: number): string {
  const time = (Date.UTC(2026, 0, 1) + nth).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(nth).padStart(12, '0')}`
}

/**
 * The nth of `total` people, at least four, alike in every run. Relatives lie anywhere among the others, so that a page of people includes three times
 * as many more.
 *
 * @param countries ids of all countries
 */
export function person(nth: number, total: number, countries: readonly string[]): DemoPerson {
  // Primes, so that neighbours are not alike.
  const pick = (list: readonly string[], prime: number) => list[(nth * prime) % list.length] ?? ''
  const steps = [0, 1, 2].map((index) => 1 + ((nth * 7_919 + index * 3_571) % (total - 1)))
  const relatives = [...new Set(steps)].map((step, index) => {
    return [personId((nth + step) % total), pick(bonds, 11 + 2 * index)] as const
  })
  const address = { city: pick(cities, 13), zip: String(1000 + (nth % 9000)) }
  return {
    id: personId(nth),
    owner: `person-${nth}`,
    fullName: `${pick(firstNames, 5)} ${pick(surnames, 7)}`,
    email: `person.${nth}@example.com`,
    cardNumber: `4242 4242 4242 ${String(nth % 10_000).padStart(4, '0')}`,
    addresses: [nth % 2 === 0 ? address : { ...address, doorCode: String(nth % 10_000) }],
    placeOfBirth: pick(countries, 17),
    citizenships: [pick(countries, 17), countries[(nth * 17 + 1) % countries.length] ?? ''],
    relatives,
  }
}
