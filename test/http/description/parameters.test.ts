import { describe, expect, it } from 'vitest'
import { get, person } from '../../support/service.ts'
import { operations } from './openapi.ts'

/** Every query parameter with an example of every operation that reads. */
const exemplary = operations
  .filter(({ method }) => method === 'GET')
  .flatMap((operation) =>
    operation.parameters
      .filter((one) => one.in === 'query' && one.example !== undefined)
      .map((parameter) => ({ operation, parameter })),
  )

describe('The described parameters', () => {
  it.each(exemplary)(
    'have examples that the service takes: $operation.operationId $parameter.name',
    async ({ operation, parameter }) => {
      const id = operation.parameters.find((one) => one.in === 'path')?.example
      const value = encodeURIComponent([parameter.example].flat().join(','))
      const path = `${operation.path.replace('{id}', String(id))}?${parameter.name}=${value}`
      const { status } = await get(path, await person(`examples-${operation.operationId}`))

      expect(parameter.description).toBeTruthy()
      expect(status).toBe(200)
    },
  )
})
