import { desc } from 'drizzle-orm'
import * as z from 'zod/mini'
import { index, primaryKey, table, text, uniqueIndex } from '#columns'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../jsonapi/declare/resource.ts'
import { uuidv7 } from '../lib/uuid.ts'
import { addresses } from './addresses.ts'
import { countryTable } from './countries.ts'
import { assignedText, emailAddress, textUpTo } from './texts.ts'

/**
 * People. The columns `*_key` hold sort keys, because [SQLite](https://www.sqlite.org/lang_corefunc.html#lower) knows the case of ASCII only.
 * `card` holds ciphertext, and `addresses` a JSON array.
 */
export const userTable = table(
  'users',
  {
    id: text('id').primaryKey(),
    owner: text('owner').notNull(),
    // The default is the revision of rows that a version of the service without revisions has inserted.
    revision: text('revision').notNull().default('0'),
    fullName: text('full_name').notNull(),
    fullNameKey: text('full_name_key').notNull(),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    card: text('card'),
    addresses: text('addresses'),
    placeOfBirth: text('place_of_birth').references(() => countryTable.id),
  },
  // An index for each order by name that a page can have. An order and its reverse share one.
  (table) => [
    uniqueIndex('users_email').on(table.emailKey),
    // Counts the users that a person owns when they create one.
    index('users_owner').on(table.owner),
    index('users_name_id').on(table.fullNameKey, table.id),
    index('users_name_desc_id').on(desc(table.fullNameKey), table.id),
    index('users_name_email').on(table.fullNameKey, table.emailKey),
    index('users_name_desc_email').on(desc(table.fullNameKey), table.emailKey),
  ],
)

/** Citizenships of people. */
export const userCitizenships = table(
  'user_citizenships',
  {
    userId: text('user_id')
      .notNull()
      .references(() => userTable.id, { onDelete: 'cascade' }),
    countryId: text('country_id')
      .notNull()
      .references(() => countryTable.id),
  },
  (table) => [primaryKey({ columns: [table.userId, table.countryId] })],
)

/** Relatives of people. The person `relative_id` is the `relationship_type` (`MOTHER`, for example) of the person `user_id`. */
export const userRelatives = table(
  'user_relatives',
  {
    userId: text('user_id')
      .notNull()
      .references(() => userTable.id, { onDelete: 'cascade' }),
    relativeId: text('relative_id')
      .notNull()
      .references(() => userTable.id, { onDelete: 'cascade' }),
    relationshipType: text('relationship_type').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.relativeId] }),
    // Finds the people who have a person as a relative when that person is deleted.
    index('user_relatives_relative').on(table.relativeId),
  ],
)

const readers: AccessRule = [{ scopes: ['users.read'] }]
const readersOfCitizenships: AccessRule = [{ scopes: ['users.citizenships.read'] }]
const writers: AccessRule = [{ scopes: ['users.write'] }]
const owner: AccessRule = [{ scopes: ['users.write'], owner: true }]
const membersByOwner = {
  replaceMany: { access: owner },
  addMany: { access: owner },
  removeMany: { access: owner },
}

const kinship = () =>
  z
    .enum(['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER'])
    .check(z.meta({ title: 'RelationshipType', description: 'What a relative is to the person.' }))

const cardNumber = () =>
  z
    .string('must be a string or null')
    .check(
      z.regex(
        /^\d(?:[ -]?\d){7,18}$/,
        'must be 8 to 19 digits, with single spaces or hyphens between them',
      ),
    )

/** People. */
export const users = defineResource({
  type: 'users',
  singular: 'user',
  description: 'People, where they are from and who they are related to.',
  stored: {
    table: userTable,
    id: userTable.id,
    owner: userTable.owner,
    revision: userTable.revision,
    counter: 'users',
  },
  id: {
    schema: () =>
      assignedText({
        description: 'Server-assigned user identifier.',
        examples: ['1', '2'],
      }),
    filter: true,
  },
  attributes: {
    fullName: {
      schema: () =>
        textUpTo(128, {
          description: 'First and last name together.',
          // Each example that creates a user takes the next name, with the e-mail address of the same place.
          examples: ['Kari Nordmann', 'Ola Nordmann'],
        }),
      stored: { column: userTable.fullName, key: userTable.fullNameKey },
      required: true,
      access: readers,
      sortable: true,
    },
    email: {
      schema: () =>
        z.string().check(
          z.maxLength(254),
          z.regex(
            emailAddress,
            'must be an e-mail address in ASCII, with at most 64 characters before the @',
          ),
          z.meta({
            description: 'Email address.',
            examples: ['kari', 'ola'].map((name) => `${name}.nordmann@example.com`),
          }),
        ),
      stored: { column: userTable.email, key: userTable.emailKey, unique: true },
      required: true,
      access: readers,
      sortable: true,
    },
    addresses: {
      schema: addresses,
      stored: { column: userTable.addresses, as: 'json' },
      access: readers,
      members: {
        doorCode: {
          access: [
            { scopes: ['users.read'], owner: true },
            { scopes: ['users.read', 'users.sensitive.read'] },
          ],
        },
      },
    },
    creditCardNumber: {
      schema: () =>
        z.nullable(cardNumber()).check(
          z.meta({
            description: 'Credit card number.',
            inRequests: 'Null removes it.',
            examples: ['4111 1111 1111 1111'],
          }),
        ),
      stored: { column: userTable.card, as: 'sealed' },
      access: [{ scopes: ['users.read', 'users.sensitive.read'], owner: true }],
      sensitive: true,
    },
  },
  relationships: {
    citizenships: toMany('countries', {
      description: 'The countries the person is a citizen of.',
      stored: {
        table: userCitizenships,
        owner: userCitizenships.userId,
        target: userCitizenships.countryId,
      },
      pagination: { by: 'cursor', size: 20 },
      access: readersOfCitizenships,
      operations: { readMany: { access: readersOfCitizenships }, ...membersByOwner },
    }),
    placeOfBirth: toOne('countries', {
      description: 'The country the person was born in.',
      stored: userTable.placeOfBirth,
      access: readers,
      operations: { readOne: { access: readers }, replaceOne: { access: owner } },
    }),
    relatives: toMany('users', {
      description:
        'Other people the person is related to. `relationshipType` says what each of them is to the person.',
      stored: {
        table: userRelatives,
        owner: userRelatives.userId,
        target: userRelatives.relativeId,
      },
      pagination: { by: 'cursor', size: 20, max: 100 },
      meta: { relationshipType: { schema: kinship, stored: userRelatives.relationshipType } },
      reflexive: false,
      access: readers,
      operations: { readMany: { access: readers }, ...membersByOwner },
    }),
  },
  pagination: { by: 'offset', size: 20, max: 100 },
  operations: {
    list: { access: anyone },
    create: { access: writers, newId: uuidv7 },
    get: { access: anyone },
    update: { access: owner },
    delete: { access: owner },
  },
  cacheControl: 'private, no-cache',
})
