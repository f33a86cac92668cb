/** One request of an operation. */
export interface Sample {
  readonly method: string
  /** Below the root path. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Operations as they are typically used, by name: the nth request of each. Writers own the users `own-…`. */
export const operations: Readonly<Record<string, (n: number) => Sample>> = {
  'GET /countries?include=currencies': () => get('/countries?include=currencies'),
  'GET /currencies': () => get('/currencies'),
  'GET /users/{id}, without relationships': (n) => get(`/users/own-${n}`),
  'GET /users/{id}, with relationships, unchanged (304)': () =>
    get('/users/1', { 'If-None-Match': '*' }),
  'GET /users, 20 of them, with the total': () => get('/users'),
  'GET /users, 20 of them, sorted by name': () => get('/users?sort=fullName'),
  'GET /users, 100 of them': () => get('/users?page[limit]=100'),
  'GET /users, 20 of them, with all three relationships': () =>
    get('/users?include=citizenships,placeOfBirth,relatives'),
  'GET /users/{id}/relationships/relatives': () => get('/users/1/relationships/relatives'),
  'POST /users, with two citizenships, by the owner of 399 users': (n) => ({
    method: 'POST',
    path: '/users',
    body: {
      data: {
        type: 'users',
        attributes: { fullName: 'Cost Sample', email: `cost-${n}@example.com` },
        relationships: {
          citizenships: { data: ['NO', 'SE'].map((id) => ({ type: 'countries', id })) },
        },
      },
    },
  }),
  'PATCH /users/{id}, the name': (n) => ({
    method: 'PATCH',
    path: `/users/own-${n}`,
    body: { data: { type: 'users', id: `own-${n}`, attributes: { fullName: `Changed ${n}` } } },
  }),
  'POST /users/{id}/relationships/relatives, one': (n) => ({
    method: 'POST',
    path: `/users/own-${n}/relationships/relatives`,
    body: { data: [{ type: 'users', id: '1', meta: { relationshipType: 'BROTHER' } }] },
  }),
  'DELETE /users/{id}': (n) => ({ method: 'DELETE', path: `/users/own-${n}` }),
}

function get(path: string, headers?: Readonly<Record<string, string>>): Sample {
  return { method: 'GET', path, ...(headers && { headers }) }
}
