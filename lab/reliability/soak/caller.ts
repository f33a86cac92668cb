import { randomUUID } from 'node:crypto'
import { personId } from '../../bench/data/people.ts'
import { type Received, send } from '../lib/send.ts'

/** People in the database beside those that callers make. */
export const people = 10_000

/** The result of one request: milliseconds from when it was due, and what was wrong with it. */
export interface Outcome {
  readonly milliseconds: number
  readonly fault?: string
}

/** A person who uses the service, one request after the other. */
export interface Caller {
  /** @param due when the request was due, on the clock of `performance.now()` */
  next(due: number): Promise<Outcome>
}

interface Step {
  readonly method: string
  readonly path: string
  readonly expected: number
  readonly body?: unknown
}

const mediaType = 'application/vnd.api+json'
const countries = ['AR', 'CZ', 'FI', 'JP', 'LS', 'NO', 'PA', 'SE', 'US', 'ZA']
const relationshipTypes = ['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER']

/** A caller of `origin`. Its steps depend on nothing but its number, so that runs can be compared. */
export function createCaller(origin: string, token: string, number: number): Caller {
  const headers = [
    ['Accept', mediaType],
    ['Content-Type', mediaType],
    ['Authorization', `Bearer ${token}`],
  ] as const
  let state = number * 7919 + 1
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const country = (): object => ({
    type: 'countries',
    id: countries[below(countries.length)] ?? 'NO',
  })
  let own: string | undefined

  return {
    async next(due) {
      const step = nextStep()
      try {
        const answer = await send(origin, {
          method: step.method,
          path: `/jsonapi${step.path}`,
          headers:
            step.body === undefined ? headers.filter(([name]) => name !== 'Content-Type') : headers,
          ...(step.body !== undefined && { body: JSON.stringify(step.body) }),
        })
        const milliseconds = performance.now() - due
        return { milliseconds, ...faultOf(step, answer) }
      } catch (error) {
        return { milliseconds: performance.now() - due, fault: `${step.method}: ${error}` }
      }
    },
  }

  function faultOf(step: Step, answer: Received): { fault?: string } {
    if (answer.status === 201) {
      own = JSON.parse(answer.text).data.id
    }
    return answer.status === step.expected
      ? {}
      : { fault: `${step.method} ${step.path}: ${answer.status} ${answer.text.slice(0, 300)}` }
  }

  /** Three reads to a write; a user is made, changed in every way, and removed again now and then. */
  function nextStep(): Step {
    if (own === undefined) {
      return { method: 'POST', path: '/users', expected: 201, body: { data: newUser() } }
    }
    if (below(4) > 0) {
      return { method: 'GET', path: readPath(own), expected: 200 }
    }
    const item = `/users/${own}`
    const change = (method: string, name: string, data: unknown): Step => ({
      method,
      path: `${item}/relationships/${name}`,
      expected: 204,
      body: { data },
    })
    switch (below(8)) {
      case 0:
        own = undefined
        return { method: 'DELETE', path: item, expected: 204 }
      case 1:
        return change('PATCH', 'placeOfBirth', below(4) > 0 ? country() : null)
      case 2:
        return change('POST', 'citizenships', [country(), country()])
      case 3:
        return change('DELETE', 'citizenships', [country()])
      case 4:
        return change('PATCH', 'relatives', [relative(0), relative(1)])
      case 5:
        return change('POST', 'relatives', [relative(below(2) > 0 ? 1 : 0)])
      default:
        return { method: 'PATCH', path: item, expected: 204, body: { data: changedUser(own) } }
    }
  }

  function readPath(id: string): string {
    const paths = [
      `/users/${id}?include=relatives,citizenships,placeOfBirth`,
      `/users/${id}`,
      '/users?page[limit]=20&sort=fullName',
      `/users?page[limit]=10&page[offset]=${below(30)}`,
      `/users/${id}/relationships/relatives?include=relatives`,
      `/users/${id}/relationships/citizenships`,
      '/countries?include=currencies',
      `/countries/${countries[below(countries.length)]}?include=currencies`,
      '/currencies?filter[id]=NOK,SEK,USD',
    ]
    return paths[below(paths.length)] ?? '/users'
  }

  function newUser(): object {
    return {
      type: 'users',
      attributes: {
        fullName: `Soak ${number}`,
        email: `${randomUUID()}@example.com`,
        creditCardNumber: '4111 1111 1111 1111',
        addresses: [{ city: 'Oslo', zip: '0150', doorCode: '4711' }],
      },
      relationships: { citizenships: { data: [country()] }, relatives: { data: [relative(0)] } },
    }
  }

  function changedUser(id: string): object {
    const creditCardNumber = below(4) > 0 ? '4242-4242-4242-4242' : null
    const attributes = { fullName: `Soak ${number} ${below(100)}`, creditCardNumber }
    return { type: 'users', id, attributes }
  }

  /**
   * One of the people who stay: a relative whom somebody has just removed would be a 404.
   *
   * @param parity 0 or 1: an even or an odd number, so that two in one body differ
   */
  function relative(parity: 0 | 1): object {
    const relationshipType = relationshipTypes[below(relationshipTypes.length)]
    return {
      type: 'users',
      id: personId(2 * below(people / 2) + parity),
      meta: { relationshipType },
    }
  }
}
