import * as z from 'zod/mini'
import { users as table, userCitizenships, userRelatives } from '../db/schema.ts'
import type { TableSource } from '../db/source.ts'
import { type AccessRule, anyone } from '../jsonapi/access.ts'
import { defineResource } from '../jsonapi/resource.ts'
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

/** Text of 1 to `most` characters, counted as code points, with what is said of it. */
function textUpTo(
  most: number,
  about: { readonly description: string; readonly examples: string[] },
  ...before: readonly z.core.$ZodCheck<string>[]
) {
  return z.string().check(
    ...before,
    z.minLength(1),
    z.refine((value) => [...value].length <= most, `at most ${most} characters`),
    z.meta({ ...about, maxLength: most }),
  )
}

const address = z
  .strictObject({
    city: z.optional(textUpTo(128, { description: 'City.', examples: ['Oslo'] })),
    zip: z.optional(textUpTo(32, { description: 'Postal code.', examples: ['0150'] })),
    doorCode: z.optional(
      textUpTo(32, {
        description: 'Door code. With one the address is a home address.',
        examples: ['1234#'],
      }),
    ),
  })
  .check(
    z.refine(
      (members) => Object.values(members).some((value) => value !== undefined),
      'needs at least one of city, zip, doorCode',
    ),
    z.meta({ minProperties: 1 }),
  )

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
  attributes: {
    fullName: {
      schema: textUpTo(
        128,
        {
          description: 'First and last name together.',
          examples: ['Kari Nordmann'],
        },
        z.trim(),
      ),
      required: true,
      access: readers,
    },
    email: {
      schema: z
        .email()
        .check(
          z.maxLength(254),
          z.meta({ description: 'Email address.', examples: ['kari.nordmann@example.com'] }),
        ),
      required: true,
      access: readers,
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
      access: readers,
      memberAccess: {
        doorCode: [
          { scopes: ['users.read'], owner: true },
          { scopes: ['users.read', 'users.sensitive.read'] },
        ],
      },
    },
    creditCardNumber: {
      schema: z
        .nullable(
          z
            .string()
            .check(
              z.regex(
                /^\d(?:[ -]?\d){7,18}$/,
                'is not 8 to 19 digits, single spaces or hyphens between',
              ),
            ),
        )
        .check(
          z.meta({
            description: 'Credit card number. Null removes it.',
            examples: ['4111 1111 1111 1111'],
          }),
        ),
      access: [{ scopes: ['users.read', 'users.sensitive.read'], owner: true }],
      sensitive: true,
    },
  },
  relationships: {
    citizenships: {
      description: 'The countries the person is a citizen of.',
      target: 'countries',
      cardinality: 'many',
      pagination: 'cursor',
      access: readersOfCitizenships,
      operations: {
        readMany: { access: readersOfCitizenships },
        replaceMany: { access: owner },
        addMany: { access: owner },
        removeMany: { access: owner },
      },
    },
    placeOfBirth: {
      description: 'The country the person was born in.',
      target: 'countries',
      cardinality: 'one',
      access: readers,
      operations: { readOne: { access: readers }, replaceOne: { access: owner } },
    },
    relatives: {
      description:
        'Other people the person is related to: each is the relationshipType of the person.',
      target: 'users',
      cardinality: 'many',
      pagination: 'cursor',
      meta: {
        relationshipType: z.enum([
          'HUSBAND',
          'WIFE',
          'SON',
          'DAUGHTER',
          'MOTHER',
          'FATHER',
          'BROTHER',
        ]),
      },
      reflexive: false,
      access: readers,
      operations: {
        readMany: { access: readers },
        replaceMany: { access: owner },
        addMany: { access: owner },
        removeMany: { access: owner },
      },
    },
  },
  filters: {
    id: z
      .string()
      .check(z.meta({ description: 'Server-assigned user identifier.', examples: ['1'] })),
  },
  sorts: ['fullName', 'email'],
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
  source: {
    table,
    id: table.id,
    owner: table.owner,
    attributes: {
      fullName: { column: table.fullName, key: table.fullNameKey },
      email: { column: table.email, key: table.emailKey, unique: true },
      addresses: { column: table.addresses, codec: 'json' },
      creditCardNumber: { column: table.card, codec: 'sealed' },
    },
    relationships: {
      citizenships: {
        table: userCitizenships,
        owner: userCitizenships.userId,
        target: userCitizenships.countryId,
      },
      placeOfBirth: { column: table.placeOfBirth },
      relatives: {
        table: userRelatives,
        owner: userRelatives.userId,
        target: userRelatives.relativeId,
        meta: { relationshipType: userRelatives.relationshipType },
      },
    },
    counter: 'users',
  } satisfies TableSource,
})
