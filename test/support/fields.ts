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

/** A document without the fields that are not in {@link fields}: one test alone demands that all of them are. */
export function withKnownFields<Shown>(document: Shown): Shown {
  return JSON.parse(JSON.stringify(document), (_, part) => {
    const known = fields[part?.type]
    const families = (['attributes', 'relationships'] as const).filter((family) => part?.[family])
    const kept = families.map((family) => {
      const members = Object.entries(part[family])
      return [
        family,
        Object.fromEntries(members.filter(([name]) => known?.[family].includes(name))),
      ]
    })
    return known ? { ...part, ...Object.fromEntries(kept) } : part
  })
}
