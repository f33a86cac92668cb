import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { conformity } from '../../http/description/conformity.ts'
import { description30, description31 } from '../../http/description/openapi.ts'
import { contentOf } from '../../http/description/read-description.ts'

const both = { in30: description30, in31: description31 }

/** A description without what JSON Schema writes in another way than OpenAPI 3.0. */
function common(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document), (name, part) => {
    if (part?.nullable === true) {
      const { nullable: _, type, ...rest } = part
      return { ...rest, type: [type, 'null'] }
    }
    const isOther = ['openapi', 'example', 'examples', 'patternProperties'].includes(name)
    return isOther ? undefined : part
  })
}

describe('The description in OpenAPI 3.1', () => {
  it('has the operations and the schemas of the one in 3.0', () => {
    const { in30, in31 } = both

    expect([in30.document.openapi, in31.document.openapi]).toEqual(['3.0.1', '3.1.0'])
    expect(common(in31.document)).toEqual(common(in30.document))
  })

  it('has schemas of JSON Schema 2020-12, which the published meta schema admits, without words of 3.0', () => {
    const ajv = new Ajv2020()
    const { schemas } = both.in31.document.components

    expect(Object.keys(schemas).length).toBeGreaterThan(30)
    expect(JSON.stringify(schemas)).not.toMatch(/"(?:nullable|example)":/)
    expect(JSON.stringify(schemas)).toMatch(/"type":\["\w+","null"\].*"examples":\[/)
    for (const [name, schema] of Object.entries<object>(schemas)) {
      expect(ajv.validateSchema(schema), name).toBe(true)
    }
  })

  it('admits @-Members in every object of a body, which 3.0 cannot', () => {
    const member = { '@context': { any: ['thing'] } }
    const create = both.in30.operationOf('createUser')?.requestBody
    const { data } = contentOf(create?.content ?? {}).example as { readonly data: object }
    const attributes = { ...(data as { attributes: object }).attributes, ...member }
    const body = { ...member, data: { ...data, ...member, attributes } }
    const judged = (version: 'in30' | 'in31', sent: unknown) => {
      const { document, operationOf } = both[version]
      const { schema } = contentOf(operationOf('createUser')?.requestBody?.content ?? {})
      return () => conformity(document)(schema, sent, version)
    }

    expect(judged('in31', body)).not.toThrow()
    expect(judged('in31', { ...body, context: 1 })).toThrow('context')
    expect(judged('in30', body)).toThrow('@context')
    expect(both.in30.document.info.description).toMatch(/begin with `@` are ignored/)
  })
})
