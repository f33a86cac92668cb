/** The fields that tests of this service's promises name, by type. */
const named: Readonly<Record<string, readonly string[]>> = {
  countries: ['name', 'region', 'currencies'],
  currencies: ['name', 'symbol'],
  users: [
    ...['fullName', 'email', 'addresses', 'creditCardNumber'],
    ...['citizenships', 'placeOfBirth', 'relatives'],
  ],
}

/** A document without fields that those tests do not name: others test what a service that is extended has beside them. */
export function withNamedFields<Shown>(document: Shown): Shown {
  return JSON.parse(JSON.stringify(document), (_, part) => {
    for (const family of ['attributes', 'relationships'] as const) {
      const names = Object.keys((named[part?.type] && part[family]) ?? {})
      for (const name of names.filter((one) => !named[part.type]?.includes(one))) {
        delete part[family][name]
      }
    }
    return part
  })
}
