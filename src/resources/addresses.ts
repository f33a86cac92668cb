import * as z from 'zod/mini'
import { onWhole } from '../jsonapi/zod.ts'
import { textUpTo } from './texts.ts'

/** The maximum size of all addresses of a person together, in bytes of JSON in UTF-8. */
const maxAddressBytes = 2048

/** Makes the schema of the addresses of a person. */
export function addresses() {
  return z.array(address()).check(
    z.maxLength(20),
    onWhole(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxAddressBytes,
      `must have at most ${maxAddressBytes} bytes as JSON`,
    ),
    z.meta({
      description: `Known addresses, at most ${maxAddressBytes} bytes as JSON.`,
      inRequests: 'An empty array removes all of them.',
    }),
  )
}

function address() {
  return z
    .strictObject({
      city: z.optional(textUpTo(128, { description: 'City.', examples: ['Oslo'] })),
      zip: z.optional(textUpTo(32, { description: 'Postal code.', examples: ['0150'] })),
      doorCode: z.optional(
        textUpTo(32, {
          description: 'Door code. An address with a door code is a home address.',
          examples: ['1234#'],
        }),
      ),
    })
    .check(
      onWhole(
        (members) => Object.values(members).some((value) => value !== undefined),
        'must have at least one of city, zip and doorCode',
      ),
      z.meta({ title: 'Address', minProperties: 1 }),
    )
}
