import { keyOf } from '../../src/db/stored.ts'
import { users } from '../../src/resources/users.ts'
import type { Cards } from '../lib/cards.ts'
import { insertRows } from '../lib/sql.ts'
import { recounts } from '../operate/counters.ts'
import { does, generatedPeople, spareDoes } from './demo-people.ts'

const userColumns = [
  'id',
  'owner',
  'full_name',
  'full_name_key',
  'email',
  'email_key',
  'card',
  'addresses',
  'place_of_birth',
]

/**
 * The demo people as SQL: complete statements without parameters, each below D1's 100 KB, to be run in
 * this order after the migrations. Rows that are there already stay as they are, so that loading twice
 * is harmless. For local use only: these statements belong in no migration.
 *
 * @param seal makes what the column `card` holds of a card number
 */
export async function demoStatements(seal: Cards['seal']): Promise<readonly string[]> {
  const people = [...does, ...spareDoes, ...generatedPeople]
  const rows = await Promise.all(
    people.map(async ({ id, owner, fullName, email, cardNumber, addresses, placeOfBirth }) => [
      id,
      owner,
      fullName,
      keyOf(users, 'fullName', fullName),
      email,
      keyOf(users, 'email', email),
      cardNumber && (await seal(id, cardNumber)),
      addresses && JSON.stringify(addresses),
      placeOfBirth,
    ]),
  )
  const citizenships = people.flatMap(({ id, citizenships }) => citizenships.map((to) => [id, to]))
  const relatives = people.flatMap(({ id, relatives }) => relatives.map(([to, is]) => [id, to, is]))
  return [
    ...insertRows('INSERT new ones', 'users', userColumns, rows),
    ...insertRows('INSERT new ones', 'user_citizenships', ['user_id', 'country_id'], citizenships),
    ...insertRows(
      'INSERT new ones',
      'user_relatives',
      ['user_id', 'relative_id', 'relationship_type'],
      relatives,
    ),
    // Some rows may be there already, so that nobody but the table knows how many have come.
    ...recounts.map((sql) => `${sql};\n`),
  ]
}
