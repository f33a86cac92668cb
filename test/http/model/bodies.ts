import fc from 'fast-check'

/** A user: mostly one of the two that every run begins with. */
export const user = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('#0', '#1') },
  { weight: 1, arbitrary: fc.constantFrom('#2', '#3', '#4') },
)

/** The attributes of a user by name. */
export const attributes = {
  fullName: fc.constantFrom('Ann Bee', 'ann bee', 'Émile', 'Åse Ö', 'Zoë', 'zoe'),
  email: fc.constantFrom(
    'ann~0@x.io',
    'BOB~1@X.IO',
    'c~2@x.io',
    'C~2@X.IO',
    'd~3@x.io',
    'e~4@x.io',
  ),
  addresses: fc.array(
    fc.constantFrom<object[]>(
      ...[{ city: 'Oslo' }, { city: 'Bergen', zip: '5003', doorCode: '1' }, { doorCode: '2' }],
    ),
    { maxLength: 2 },
  ),
  creditCardNumber: fc.constantFrom('4242 4242 4242 4242', '12345678', null),
}

/** Mostly a country that exists. */
const country = fc
  .oneof(
    { weight: 40, arbitrary: fc.constantFrom('NO', 'SE', 'PA', 'CH') },
    { weight: 1, arbitrary: fc.constant('XX') },
  )
  .map((id) => ({ type: 'countries', id }))

/** The linkage of each relationship of a user, who is not among its own relatives. */
export function linkageOf(id?: string): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const others = ['#0', '#0', '#0', '#1', '#1', '#1', '#2'].filter((other) => other !== id)
  const relative = fc.record({
    type: fc.constant('users'),
    id: fc.constantFrom(...others),
    meta: fc.record({ relationshipType: fc.constantFrom('SON', 'WIFE', 'BROTHER') }),
  })
  return {
    citizenships: fc.array(country, { maxLength: 3 }),
    placeOfBirth: fc.option(country),
    relatives: fc.uniqueArray(relative, { maxLength: 2, selector: (it) => it.id }),
  }
}

/** Some relationships of a user, or all, as a resource object holds them. */
export function relationshipsOf(id?: string): fc.Arbitrary<object> {
  const documents = Object.entries(linkageOf(id)).map(([name, data]) => [name, fc.record({ data })])
  return fc.record(Object.fromEntries(documents), { requiredKeys: [] })
}
