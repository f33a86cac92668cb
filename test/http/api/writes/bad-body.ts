import type { Fault } from './writers.ts'

/** Where a body is sent to. The user does not exist: the faults of a body are told before that. */
type Target = keyof typeof targets

/** The id in the path of every operation but a create. */
export const somebody = '018f0000-0000-7000-8000-000000000000'

const item = `/users/${somebody}`

/** The operations that take a body, as method and path. */
export const targets = {
  create: ['POST', '/users'],
  update: ['PATCH', item],
  replaceCitizenships: ['PATCH', `${item}/relationships/citizenships`],
  addCitizenships: ['POST', `${item}/relationships/citizenships`],
  removeCitizenships: ['DELETE', `${item}/relationships/citizenships`],
  replacePlaceOfBirth: ['PATCH', `${item}/relationships/placeOfBirth`],
  replaceRelatives: ['PATCH', `${item}/relationships/relatives`],
  addRelatives: ['POST', `${item}/relationships/relatives`],
  removeRelatives: ['DELETE', `${item}/relationships/relatives`],
} as const

/** A body that is refused, and every error that it is refused with. */
export type BadBody = readonly [
  what: string,
  target: Target,
  body: unknown,
  ...faults: readonly [Fault, ...Fault[]],
]

const statuses = {
  VALUE_IS_ABSENT: '400',
  VALUE_INVALID_FORMAT: '400',
  INVALID_ENUM_VALUE: '400',
  INVALID_PAYLOAD: '400',
  CLIENT_GENERATED_ID_NOT_SUPPORTED: '403',
  CONFLICT: '409',
} as const

function faultOf(code: keyof typeof statuses) {
  return (pointer?: string): Fault =>
    pointer === undefined ? [statuses[code], code] : [statuses[code], code, pointer]
}

/** A required member is missing or null. */
export const absent = faultOf('VALUE_IS_ABSENT')
/** A value of another type, or out of its bounds; a member that is not taken. */
export const format = faultOf('VALUE_INVALID_FORMAT')
/** None of the allowed values. */
export const choice = faultOf('INVALID_ENUM_VALUE')
/** No JSON object that can be read. */
export const payload = faultOf('INVALID_PAYLOAD')
/** An id in a create. */
export const clientId = faultOf('CLIENT_GENERATED_ID_NOT_SUPPORTED')
/** The type or the id is not that of the path. */
export const conflict = faultOf('CONFLICT')

const attributes = { fullName: 'Ann Bee', email: 'ann@example.com' }

/** The body of a create with other members in its data; undefined takes one out. */
export function data(members: object): object {
  return { data: { type: 'users', attributes, ...members } }
}

/** The body of a create with other attributes. */
export function withAttributes(others: object): object {
  return data({ attributes: { ...attributes, ...others } })
}

/** The body of a create with relationships. */
export function withRelationships(relationships: unknown): object {
  return data({ relationships })
}

/** The body of an update. */
export function updating(members: object): object {
  return { data: { type: 'users', id: somebody, ...members } }
}
