import { describe, expect, it } from 'vitest'
import { endpointsOf } from '../../../src/jsonapi/declare/registry.ts'
import { registry } from '../db/second-domain/registry.ts'
import { describeOther } from './second-domain.ts'
import { describeService } from './service.ts'

const { document, operations, operationOf } = describeOther()

describe('The description of another service', () => {
  it('has its operations, each with a name of letters, and nothing of the first one', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(names).toHaveLength(endpointsOf(registry).length + 1)
    expect(new Set(names).size).toBe(names.length)
    expect(names.join('')).toMatch(/^[A-Za-z]+$/)
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/articles', '/articles/{id}/contributors', '/operations']),
    )
    expect(JSON.stringify(document)).not.toMatch(/users|countries|currencies/)
  })

  it.each([
    ['of another service', describeOther()],
    ['of the service itself', describeService()],
  ])('has the components that are referred to, and no others: %s', (_, { document, resolved }) => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    const names = new Set(references.map(([, name = '']) => name))
    const { securitySchemes: _schemes, ...sections } = document.components
    const described = Object.entries<object>(sections).flatMap(([section, named]) =>
      Object.keys(named).map((name) => `#/components/${section}/${name}`),
    )
    expect(described.toSorted()).toEqual([...names].toSorted())
    for (const $ref of names) {
      expect(Object.keys(resolved<object>({ $ref })), $ref).not.toEqual([])
    }
  })

  it('says who sees what, and who may do what', () => {
    expect(operationOf('articles.update').description).toMatch(/\n\nCallers: [^\n]+\.$/)
    expect(operationOf('articles.list').security).toHaveLength(2)
    expect(operationOf('articles.update').security).not.toContainEqual({ Client_Credentials: [] })
  })

  it('has the headers of the layers around the protocol: of each answer, and beside the limiter', () => {
    const headersOf = (status: number) => operationOf('articles.get').responses[status]?.headers
    expect(headersOf(200)).toMatchObject({
      'X-Trace': { required: true },
      'X-Left': { required: true },
      'X-State': { description: 'What was seen.' },
    })
    expect(headersOf(200)?.['X-State']?.required).not.toBe(true)
    expect(headersOf(406)).not.toHaveProperty('X-Left')
  })
})
