import fc from 'fast-check'

/** Mostly valid values, since a request with many faults shows little. */
export function mostly<Good, Bad>(good: readonly Good[], bad: Bad): fc.Arbitrary<Good | Bad> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constant(bad) },
  )
}

/** A user: mostly one of the two that every run begins with. */
export const user = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('#0', '#1') },
  { weight: 1, arbitrary: fc.constantFrom('#2', '#3', '#4') },
)

const country = mostly(['NO', 'SE', 'PA', 'CH'], 'XX')

const address = mostly<object, object>(
  [{ city: 'Oslo' }, { city: 'Bergen', zip: '5003', doorCode: '1' }, { doorCode: '2' }],
  {},
)

/** The attributes of a user by name. */
export const attributes = {
  fullName: mostly(['Ann Bee', 'ann bee', 'Émile', 'Åse Ö', 'Zoë', 'zoe'], ' '),
  email: mostly(['ann~0@x.io', 'BOB~1@X.IO', 'c~2@x.io', 'C~2@X.IO', 'd~3@x.io', 'e~4@x.io'], '~'),
  addresses: fc.array(address, { maxLength: 2 }),
  creditCardNumber: mostly(['4242 4242 4242 4242', '12345678', null], '1234'),
}

const identifier = country.map((id) => ({ type: 'countries', id }))

/** The linkage of each relationship of a user, who is not among its own relatives but for a mistake. */
export function linkageOf(id?: string): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const others = ['#0', '#0', '#1', '#1', '#2'].filter((other) => other !== id)
  const relative = fc.record({
    type: fc.constant('users'),
    id: mostly(others, id ?? '#4'),
    meta: fc.record({ relationshipType: mostly(['SON', 'WIFE', 'BROTHER'], 'AUNT') }),
  })
  return {
    citizenships: fc.array(identifier, { maxLength: 3 }),
    placeOfBirth: fc.option(identifier),
    relatives: fc.oneof(
      { weight: 9, arbitrary: fc.uniqueArray(relative, { maxLength: 2, selector: (it) => it.id }) },
      { weight: 1, arbitrary: fc.array(relative, { maxLength: 3 }) },
    ),
  }
}

/** Some relationships of a user, or all, as a resource object holds them. */
export function relationshipsOf(id?: string): fc.Arbitrary<object> {
  const documents = Object.entries(linkageOf(id)).map(([name, data]) => [name, fc.record({ data })])
  return fc.record(Object.fromEntries(documents), { requiredKeys: [] })
}
