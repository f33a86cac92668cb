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

/** A document without the relationships that are not in {@link fields}: one test alone demands that all of them are. */
export function withKnownFields<Shown>(document: Shown): Shown {
  return JSON.parse(JSON.stringify(document), (_, part) => {
    const known = part?.relationships && fields[part.type]
    const relationships = Object.entries(part?.relationships ?? {}).filter(([name]) =>
      known?.relationships.includes(name),
    )
    return known ? { ...part, relationships: Object.fromEntries(relationships) } : part
  })
}
