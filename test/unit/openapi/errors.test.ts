import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../../src/jsonapi/errors.ts'
import { conformity } from '../../http/description/conformity.ts'
import { describeLibrary, json } from './library.ts'

/** An error answer of an operation. */
function errorOf(id: string, status: number) {
  const { description = '', content } = describeLibrary().operationOf(id).responses[status] ?? {}
  const { schema = {}, examples } = content?.[json] ?? {}
  return { description, schema, examples }
}

const everywhere = ['INVALID_ENUM_VALUE', 'VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER']
const withBody = [
  ...['INVALID_ENUM_VALUE', 'VALUE_INVALID_FORMAT', 'VALUE_IS_ABSENT', 'INVALID_PAYLOAD'],
  'UNEXPECTED_PARAMETER',
]

/** Operations with the codes of one status. */
const table = [
  ['books.list', 400, everywhere],
  ['books.delete', 400, ['VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER']],
  ['books.create', 400, [...withBody, 'CLIENT_GENERATED_ID_NOT_SUPPORTED', 'CONFLICT']],
  ['books.update', 400, [...withBody, 'CONFLICT']],
  ['books.authors.addMany', 400, withBody],
  ['books.list', 401, ['UNAUTHORIZED', 'ACCESS_TOKEN_EXPIRED']],
  ['books.create', 403, ['INSUFFICIENT_ENTITLEMENTS', 'CLIENT_GENERATED_ID_NOT_SUPPORTED']],
  ['books.update', 403, ['INSUFFICIENT_ENTITLEMENTS', 'FULL_REPLACEMENT_NOT_SUPPORTED']],
  ['books.delete', 403, ['INSUFFICIENT_ENTITLEMENTS']],
  ['books.list', 403, ['INSUFFICIENT_ENTITLEMENTS']],
  ['books.authors.replaceMany', 409, ['CONFLICT']],
  ['books.get', 404, ['NOT_FOUND']],
  ['books.get', 405, ['METHOD_NOT_SUPPORTED']],
  ['books.get', 406, ['NOT_ACCEPTABLE']],
  ['books.update', 409, ['CONFLICT']],
  ['books.authors.addMany', 409, ['CONFLICT']],
  ['books.get', 412, ['PRECONDITION_FAILED']],
  ['books.update', 412, ['PRECONDITION_FAILED']],
  ['books.update', 415, ['UNSUPPORTED_MEDIA_TYPE']],
  ['books.get', 429, ['TOO_MANY_REQUESTS']],
  ['books.get', 500, ['INTERNAL_SERVER_ERROR']],
  // A transaction can end in the errors of each write (contract, section 13).
  [
    'operations',
    400,
    [
      ...withBody,
      ...['INSUFFICIENT_ENTITLEMENTS', 'CLIENT_GENERATED_ID_NOT_SUPPORTED'],
      ...['NOT_FOUND', 'CONFLICT'],
    ],
  ],
  [
    'operations',
    403,
    [
      ...['INSUFFICIENT_ENTITLEMENTS', 'CLIENT_GENERATED_ID_NOT_SUPPORTED'],
      'FULL_REPLACEMENT_NOT_SUPPORTED',
    ],
  ],
  ['operations', 404, ['NOT_FOUND']],
  ['operations', 409, ['CONFLICT']],
] as const

describe('The errors in a description (contract, sections 2 and 5)', () => {
  it.each(table)('of %s with %i have the codes %j', (id, status, codes) => {
    const { description, schema } = errorOf(id, status)
    const statuses = new Set(
      codes.map((code) => errorCodes[code as keyof typeof errorCodes].status),
    )

    expect(schema).toEqual({
      allOf: [
        { $ref: '#/components/schemas/ErrorDocument' },
        {
          type: 'object',
          properties: {
            errors: {
              type: 'array',
              items: {
                allOf: [
                  { $ref: '#/components/schemas/ErrorObject' },
                  {
                    type: 'object',
                    properties: {
                      status: { type: 'string', enum: [...statuses].map(String) },
                      code: { type: 'string', enum: codes },
                    },
                    required: ['status', 'code'],
                  },
                ],
              },
            },
          },
          required: ['errors'],
        },
      ],
    })
    expect(description.split('\n\n')).toEqual(
      codes.map((code) => `\`${code}\`: ${errorCodes[code as keyof typeof errorCodes].title}.`),
    )
  })

  it('have the examples that were recorded of the response, and without a recording none', () => {
    const examples = { NOT_FOUND: { summary: 'GET /books/none', value: { errors: [] } } }

    expect(errorOf('books.get', 404).examples).toBeUndefined()
    expect(
      describeLibrary({ answers: {}, errors: { Error404: examples } }).operationOf('books.get')
        .responses[404]?.content?.[json]?.examples,
    ).toEqual(examples)
  })

  it('hold at least one error, with all that it must have', () => {
    const conform = conformity(describeLibrary().document)
    const { schema } = errorOf('books.get', 404)
    const error = { id: 'a', status: '404', code: 'NOT_FOUND', title: 'a', detail: 'a' }
    const whole = { jsonapi: { version: '1.1' }, errors: [error, { ...error, source: {} }] }
    const { errors, ...withoutErrors } = whole

    expect(() => conform(schema, whole, 'The answer')).not.toThrow()
    for (const document of [
      withoutErrors,
      { errors },
      { ...whole, errors: [] },
      { ...whole, errors: error },
      ...Object.keys(error).map((member) => ({
        ...whole,
        errors: [{ ...error, [member]: undefined }],
      })),
      { ...whole, errors: [{ ...error, code: 'CONFLICT' }] },
      { ...whole, errors: [{ ...error, status: 404 }] },
      { ...whole, errors: [{ ...error, source: { path: 'id', header: 'Accept' } }] },
      { ...whole, more: true },
    ]) {
      expect(() => conform(schema, JSON.parse(JSON.stringify(document)), 'The answer')).toThrow(
        'The answer is not as described',
      )
    }
  })

  it.each([
    ['books.list', 400, 'Error400'],
    ['books.delete', 400, 'Error400Delete'],
    ['books.create', 400, 'Error400Create'],
    ['books.update', 400, 'Error400Update'],
    ['books.authors.addMany', 400, 'Error400Linkage'],
    ['books.shelf.replaceOne', 400, 'Error400Linkage'],
    ['books.create', 403, 'Error403Create'],
    ['books.update', 403, 'Error403Update'],
    ['books.delete', 403, 'Error403'],
    ['books.list', 403, 'Error403Blocked'],
    ['books.get', 403, 'Error403Blocked'],
    ['books.create', 409, 'Error409'],
    ['operations', 400, 'Error400Transaction'],
    ['operations', 403, 'Error403Transaction'],
    ['operations', 404, 'Error404'],
  ])('are described once for all that share them: %s with %i is %s', (id, status, name) => {
    const { document, operationOf } = describeLibrary()
    const { path, method } = operationOf(id)

    expect(document.paths[path][method.toLowerCase()].responses[status]).toEqual({
      $ref: `#/components/responses/${name}`,
    })
  })

  it('say where a fault lies in one of four ways (contract, section 5)', () => {
    const { ErrorObject: error } = describeLibrary().document.components.schemas

    expect(Object.keys(error.properties)).toEqual(
      'id status code title detail source links meta'.split(' '),
    )
    expect(error.required).toEqual(['id', 'status', 'code', 'title', 'detail'])
    expect(Object.keys(error.properties.source.properties)).toEqual(
      'parameter pointer header path'.split(' '),
    )
    expect(error.properties.source).toMatchObject({ type: 'object', maxProperties: 1 })
    expect(error.properties.source).not.toHaveProperty('required')

    for (const part of 'id status code title detail'.split(' ')) {
      expect(error.properties[part].type).toBe('string')
    }
    for (const part of Object.values(error.properties.source.properties)) {
      expect(part).toMatchObject({ type: 'string' })
    }
  })

  it('say of each part what it is', () => {
    const { properties } = describeLibrary().document.components.schemas.ErrorObject
    const { links: _, meta: __, ...parts } = properties

    for (const part of Object.values({ ...parts, ...parts.source.properties })) {
      expect(part).toMatchObject({ description: expect.stringMatching(/^\w.*\.$/) })
    }
  })
})
