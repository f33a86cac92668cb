import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { find } from '../../../clients/typescript/src/find.ts'
import { ServiceError } from '../../../clients/typescript/src/service-error.ts'
import { description } from '../../../src/description.ts'

it('The package of the client has the version of the service and of its description', () => {
  const versionIn = (path: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).version
  const { info } = description({ server: 'https://a.example', authUrl: 'https://b.example' })
  const versions = ['clients/typescript/package.json', 'package.json'].map(versionIn)
  expect(versions).toEqual([info.version, info.version])
})

it('An included resource is found by type and id; nothing is found where nothing is meant', () => {
  const norway = { type: 'countries' as const, id: 'NO', attributes: { name: 'Norway' } }
  const krone = { type: 'currencies' as const, id: 'NOK' }
  const included = [krone, { ...norway, id: 'SE' }, { type: 'users' as const, id: 'NO' }, norway]
  const found = find(included, { type: 'countries', id: 'NO' })
  expect(found?.attributes.name).toBe('Norway')
  expect(find(included, { type: 'currencies', id: 'NO' })).toBeUndefined()
  expect([find(included, null), find(included, undefined)]).toEqual([undefined, undefined])
  expect(find(undefined, krone)).toBeUndefined()
})

it('The error of a refusal has the status, the errors of the document, and their details as its message', () => {
  const fault = { id: 'a', status: '400', code: 'VALUE_IS_ABSENT', title: 'A title' }
  const errors = ['One.', 'Two.'].map((detail) => ({ ...fault, detail }))
  const error = new ServiceError(400, { jsonapi: { version: '1.1' }, errors })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'ServiceError', status: 400, errors, message: 'One. Two.' })
  expect([error.has('VALUE_IS_ABSENT'), error.has('CONFLICT')]).toEqual([true, false])
})

it.each(['<html>Bad gateway</html>', '', undefined, null, { errors: 'many' }])(
  'The error of a proxy that has answered with %j has the status alone',
  (body) => {
    const error = new ServiceError(502, body)
    expect(error).toMatchObject({ status: 502, errors: [], message: 'The answer is 502.' })
    expect(error.has('CONFLICT')).toBe(false)
  },
)
