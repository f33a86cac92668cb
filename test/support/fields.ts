import { registry } from '../../src/resources/index.ts'

/** The fields that resources of a type have. */
interface Fields {
  readonly attributes: readonly string[]
  readonly relationships: readonly string[]
}

/** The fields of each type. */
export const fields: Readonly<Record<string, Fields>> = {
  countries: { attributes: ['name', 'region'], relationships: ['currencies'] },
  currencies: { attributes: ['name', 'symbol'], relationships: [] },
  users: {
    attributes: ['addresses', 'creditCardNumber', 'email', 'fullName'],
    relationships: ['citizenships', 'placeOfBirth', 'relatives'],
  },
}

/** A document without the fields that are not in {@link fields}, and without what only the server sets. One test demands all fields. */
export function withKnownFields<Shown>(document: Shown): Shown {
  return JSON.parse(JSON.stringify(document), (_, part) => {
    const known = fields[part?.type]
    const isKept = (family: keyof Fields, name: string) =>
      known?.[family].includes(name) && !registry.get(part.type).attributes[name]?.readOnly
    for (const family of ['attributes', 'relationships'] as const) {
      const names = Object.keys((known && part[family]) ?? {})
      for (const name of names.filter((one) => !isKept(family, one))) {
        delete part[family][name]
      }
    }
    return part
  })
}
