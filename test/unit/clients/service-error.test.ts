import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../clients/typescript/src/service-error.ts'

const fault = (code: string, detail: string) => ({
  id: crypto.randomUUID(),
  status: '400',
  code,
  title: 'A title',
  detail,
})

describe('The error that the client throws for a refusal', () => {
  it('has the status, the errors of the document, and their details as its message', () => {
    const errors = [fault('VALUE_IS_ABSENT', 'One.'), fault('INVALID_ENUM_VALUE', 'Two.')]
    const error = new ServiceError(400, { jsonapi: { version: '1.1' }, errors })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'ServiceError', status: 400, errors, message: 'One. Two.' })
    expect(error.has('INVALID_ENUM_VALUE')).toBe(true)
    expect(error.has('CONFLICT')).toBe(false)
  })

  it.each(['<html>Bad gateway</html>', '', undefined, null, { errors: 'many' }])(
    'has the status alone where a proxy has answered with %j',
    (body) => {
      const error = new ServiceError(502, body)
      expect(error).toMatchObject({ status: 502, errors: [], message: 'The answer is 502.' })
      expect(error.has('CONFLICT')).toBe(false)
    },
  )
})
