import * as z from 'zod'
import { defineResource, toMany, toOne } from '../db/declare.ts'
import { users as table, userCitizenships, userRelatives } from '../db/schema.ts'
import { type AccessRule, anyone } from '../jsonapi/access.ts'
import { upTo } from '../jsonapi/validate.ts'

/** The scopes of person's tokens, and what each lets an application do (contract, section 3). */
export const scopes = {
  'users.read': 'Read-only access to user data.',
  'users.sensitive.read': "Read a user's sensitive attributes.",
  'users.citizenships.read': "Read a user's citizenships relationship.",
  'users.write': 'Create users, and change and delete the own ones.',
} as const

const readers: AccessRule = [{ scopes: ['users.read'] }]
const readersOfCitizenships: AccessRule = [{ scopes: ['users.citizenships.read'] }]
const writers: AccessRule = [{ scopes: ['users.write'] }]
const owner: AccessRule = [{ scopes: ['users.write'], owner: true }]

/** Text of 1 to `most` characters, counted as code points. */
function text(most: number, start = z.string()) {
  return start
    .min(1)
    .refine((value) => [...value].length <= most, `at most ${most} characters`)
    .meta({ maxLength: most })
}

const address = z
  .strictObject({
    city: text(128)
      .meta({ description: 'City.', examples: ['Oslo'] })
      .optional(),
    zip: text(32)
      .meta({ description: 'Postal code.', examples: ['0150'] })
      .optional(),
    doorCode: text(32)
      .meta({
        description: 'Door code. With one the address is a home address.',
        examples: ['1234#'],
      })
      .optional(),
  })
  .refine(
    (members) => Object.values(members).some((value) => value !== undefined),
    'needs at least one of city, zip, doorCode',
  )
  .meta({ minProperties: 1 })

const kinship = z.enum(['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER'])

/** Bytes of all addresses of a person together, as JSON in UTF-8 (contract, section 6). */
const mostAddressBytes = 2048

/** A UUIDv7 (RFC 9562, section 5.7): a random UUID whose first 48 bits are the time, so that ids grow. */
function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}

/** People (contract, section 18; who sees and writes what: contract, sections 1 and 4). */
export const users = defineResource({
  type: 'users',
  singular: 'user',
  description: 'People, where they are from and who they are related to.',
  stored: { table, id: table.id, owner: table.owner, counter: 'users' },
  id: {
    schema: z.string().meta({ description: 'Server-assigned user identifier.', examples: ['1'] }),
    filter: true,
  },
  attributes: {
    fullName: {
      schema: text(128, z.string().trim()).meta({
        description: 'First and last name together.',
        examples: ['Kari Nordmann'],
      }),
      stored: { column: table.fullName, key: table.fullNameKey },
      required: true,
      access: readers,
      sortable: true,
    },
    email: {
      schema: z
        .email()
        .max(254)
        .meta({ description: 'Email address.', examples: ['kari.nordmann@example.com'] }),
      stored: { column: table.email, key: table.emailKey, unique: true },
      required: true,
      access: readers,
      sortable: true,
    },
    addresses: {
      schema: upTo(
        20,
        address,
        z.refine(
          (value) => new TextEncoder().encode(JSON.stringify(value)).length <= mostAddressBytes,
          `at most ${mostAddressBytes} bytes as JSON`,
        ),
        z.meta({
          description: `Known addresses, at most ${mostAddressBytes} bytes as JSON. An empty array removes all of them.`,
        }),
      ),
      stored: { column: table.addresses, as: 'json' },
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
      schema: z
        .string()
        .regex(/^\d(?:[ -]?\d){7,18}$/, 'is not 8 to 19 digits, single spaces or hyphens between')
        .nullable()
        .meta({
          description: 'Credit card number. Null removes it.',
          examples: ['4111 1111 1111 1111'],
        }),
      stored: { column: table.card, as: 'sealed' },
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
      pagination: 'cursor',
      access: readersOfCitizenships,
      operations: {
        readMany: { access: readersOfCitizenships },
        replaceMany: { access: owner },
        addMany: { access: owner },
        removeMany: { access: owner },
      },
    }),
    placeOfBirth: toOne('countries', {
      description: 'The country the person was born in.',
      stored: table.placeOfBirth,
      access: readers,
      operations: { readOne: { access: readers }, replaceOne: { access: owner } },
    }),
    relatives: toMany('users', {
      description:
        'Other people the person is related to: each is the relationshipType of the person.',
      stored: {
        table: userRelatives,
        owner: userRelatives.userId,
        target: userRelatives.relativeId,
      },
      pagination: 'cursor',
      meta: { relationshipType: { schema: kinship, stored: userRelatives.relationshipType } },
      reflexive: false,
      access: readers,
      operations: {
        readMany: { access: readers },
        replaceMany: { access: owner },
        addMany: { access: owner },
        removeMany: { access: owner },
      },
    }),
  },
  pagination: 'offset',
  operations: {
    list: { access: anyone },
    create: { access: writers },
    get: { access: anyone },
    update: { access: owner },
    delete: { access: owner },
  },
  cacheControl: 'private, no-cache',
  newId: uuidv7,
})
