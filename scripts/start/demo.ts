import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteInsertValue, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { db } from '#engine'
import { keyValue } from '../../src/db/stored.ts'
import { userCitizenships, userRelatives, users, userTable } from '../../src/resources/users.ts'
import { type Cards, cardsUnder } from '../lib/cards.ts'
import { recounts } from '../operate/counters.ts'
import type { Database } from '../operate/database.ts'
import { type DemoPerson, demoUsers } from './demo-people.ts'

/**
 * Loads the demo data into a database, once: people who were deleted since do not come back.
 *
 * @param ring the key ring that card numbers are encrypted with
 */
export async function loadDemo(database: Pick<Database, 'query'>, ring: string): Promise<void> {
  const mark = sql`create table demo_data (loaded_at text)`
  const statements = await demoStatements(cardsUnder(ring).seal)
  await database.query([mark, ...statements]).catch((error: Error) => {
    if (!error.message.includes('already exists')) {
      throw error
    }
  })
}

/**
 * The statements that insert the demo people, to be run in this order after the migrations. Rows that are there already stay as they are,
 * so that loading twice is harmless. For local use only: these statements belong in no migration.
 *
 * @param seal makes what the column `card` holds of a card number
 */
export async function demoStatements(seal: Cards['seal']): Promise<readonly SQL[]> {
  const rows = await peopleRows(demoUsers, seal)
  return [
    ...insertNew(userTable, rows.users),
    ...insertNew(userCitizenships, rows.citizenships),
    ...insertNew(userRelatives, rows.relatives),
    // Some rows may be there already, so that nobody but the table knows how many have come.
    ...recounts,
  ]
}

/**
 * The rows of people, by table.
 *
 * @param seal makes what the column `card` holds of a card number
 */
export async function peopleRows(people: readonly DemoPerson[], seal: Cards['seal']) {
  const rows = people.map(async ({ id, owner, fullName, email, placeOfBirth, ...person }) => ({
    id,
    owner,
    fullName,
    fullNameKey: keyValue(users, 'fullName', fullName),
    email,
    emailKey: keyValue(users, 'email', email),
    card: person.cardNumber && (await seal(id, person.cardNumber)),
    addresses: person.addresses && JSON.stringify(person.addresses),
    placeOfBirth,
  }))
  return {
    users: await Promise.all(rows),
    citizenships: people.flatMap(({ id, citizenships }) =>
      citizenships.map((countryId) => ({ userId: id, countryId })),
    ),
    relatives: people.flatMap(({ id, relatives }) =>
      relatives.map(([relativeId, relationshipType]) => ({
        userId: id,
        relativeId,
        relationshipType,
      })),
    ),
  }
}

/** The statements that insert rows which are not there yet. */
function insertNew<Table extends SQLiteTable>(
  table: Table,
  rows: readonly SQLiteInsertValue<Table>[],
): SQL[] {
  return rows.map((row) => db.insert(table).values(row).onConflictDoNothing().getSQL())
}
