import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../../src/jsonapi/errors.ts'
import { conformity } from '../../http/description/conformity.ts'
import { describeLibrary, json, ref } from './library.ts'

/** An error answer of an operation. */
function errorOf(id: string, status: number) {
  const { description = '', content } = describeLibrary().operationOf(id).responses[status] ?? {}
  const { schema = {} } = content?.[json] ?? {}
  return { description, schema }
}

const query = ['INVALID_ENUM_VALUE', 'VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER']
const body = [
  ...['INVALID_ENUM_VALUE', 'VALUE_INVALID_FORMAT', 'VALUE_IS_ABSENT', 'INVALID_PAYLOAD'],
  'UNEXPECTED_PARAMETER',
]
const access = 'INSUFFICIENT_ENTITLEMENTS'
const clientId = 'CLIENT_GENERATED_ID_NOT_SUPPORTED'

/** Operations with one status each, the component that describes it, and its codes. */
const table: readonly [id: string, status: number, name: string, ...codes: string[]][] = [
  ['books.list', 400, 'Error400', ...query],
  ['books.delete', 400, 'Error400Delete', 'VALUE_INVALID_FORMAT', 'UNEXPECTED_PARAMETER'],
  ['books.create', 400, 'Error400Create', ...body, clientId, 'CONFLICT'],
  ['books.update', 400, 'Error400Update', ...body, 'CONFLICT'],
  ['books.authors.addMany', 400, 'Error400Linkage', ...body],
  ['books.shelf.replaceOne', 400, 'Error400Linkage', ...body],
  ['books.list', 401, 'Error401', 'UNAUTHORIZED', 'ACCESS_TOKEN_EXPIRED'],
  ['books.create', 403, 'Error403Create', access, clientId],
  ['books.update', 403, 'Error403', access],
  ['books.delete', 403, 'Error403', access],
  ['books.list', 403, 'Error403Blocked', access],
  ['books.get', 403, 'Error403Blocked', access],
  ['books.get', 404, 'Error404', 'NOT_FOUND'],
  ['books.get', 405, 'Error405', 'METHOD_NOT_SUPPORTED'],
  ['books.get', 406, 'Error406', 'NOT_ACCEPTABLE'],
  ['books.create', 409, 'Error409', 'CONFLICT'],
  ['books.authors.addMany', 409, 'Error409', 'CONFLICT'],
  ['books.authors.replaceMany', 409, 'Error409', 'CONFLICT'],
  ['books.get', 412, 'Error412', 'PRECONDITION_FAILED'],
  ['books.update', 415, 'Error415', 'UNSUPPORTED_MEDIA_TYPE'],
  ['books.get', 429, 'Error429', 'TOO_MANY_REQUESTS'],
  ['books.get', 500, 'Error500', 'INTERNAL_SERVER_ERROR'],
  // A transaction can end in the errors of each write.
  ['operations', 400, 'Error400Transaction', ...body, access, clientId, 'NOT_FOUND', 'CONFLICT'],
  ['operations', 403, 'Error403Create', access, clientId],
  ['operations', 404, 'Error404', 'NOT_FOUND'],
  ['operations', 409, 'Error409', 'CONFLICT'],
]

describe('The errors in a description', () => {
  it.each(table)('of %s with %i are %s with the codes %s', (id, status, name, ...codes) => {
    const { document, operationOf } = describeLibrary()
    const { path, method } = operationOf(id)
    const { description, schema } = errorOf(id, status)
    const statuses = new Set(
      codes.map((code) => errorCodes[code as keyof typeof errorCodes].status),
    )

    expect(document.paths[path][method.toLowerCase()].responses[status]).toEqual({
      $ref: `#/components/responses/${name}`,
    })
    const narrowed = {
      type: 'object',
      properties: {
        status: { type: 'string', enum: [...statuses].map(String) },
        code: { type: 'string', enum: codes },
      },
      required: ['status', 'code'],
    }
    const items = { allOf: [ref('ErrorObject'), narrowed] }
    const errors = { type: 'array', items }
    expect(schema).toEqual({
      allOf: [
        ref('ErrorDocument'),
        { type: 'object', properties: { errors }, required: ['errors'] },
      ],
    })
    expect(description.split('\n\n')).toEqual(
      codes.map((code) => `\`${code}\`: ${errorCodes[code as keyof typeof errorCodes].title}.`),
    )
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

  it('say of each part what it is, and where a fault lies in one of four ways', () => {
    const { properties } = describeLibrary().document.components.schemas.ErrorObject
    const { source, links: _, meta: __, ...parts } = properties

    expect(Object.keys(parts)).toEqual(['id', 'status', 'code', 'title', 'detail'])
    expect(Object.keys(source.properties)).toEqual(['parameter', 'pointer', 'header', 'path'])
    for (const part of Object.values({ ...parts, ...source.properties })) {
      expect(part).toMatchObject({ type: 'string', description: expect.stringMatching(/^\w.*\.$/) })
    }
    expect(source).toMatchObject({ description: expect.stringMatching(/^\w.*\.$/) })
  })
})
