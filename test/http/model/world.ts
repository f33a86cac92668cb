import {
  type BackDoor,
  clientToken,
  person,
  request as send,
  uniqueSubject,
} from '../../support/service.ts'
import { urlOf } from './read.ts'
import type { Atlas, Caller, ModelRequest } from './state.ts'

/** What the tokens of a person let it do, by the second part of a caller's name. */
const scopes = {
  all: ['users.read', 'users.sensitive.read', 'users.citizenships.read', 'users.write'],
  plain: ['users.read', 'users.write'],
  blind: ['users.sensitive.read', 'users.citizenships.read', 'users.write'],
  reader: ['users.read', 'users.sensitive.read', 'users.citizenships.read'],
} as const

/** Three people and a client, with every token that they use, by name. */
export async function newCallers(): Promise<ReadonlyMap<string, Caller>> {
  const callers: Caller[] = []
  for (const who of ['ann', 'bob', 'eve']) {
    const sub = uniqueSubject()
    for (const [what, granted] of Object.entries(scopes)) {
      const token = await person(sub, granted.join(' '))
      callers.push({ name: `${who} ${what}`, kind: 'person', sub, scopes: granted, token })
    }
  }
  const token = await clientToken()
  callers.push({ name: 'client', kind: 'client', sub: '', scopes: [], token })
  return new Map(callers.map((caller) => [caller.name, caller]))
}

/** The countries and currencies, from the database itself. */
export async function readAtlas({ batch }: BackDoor): Promise<Atlas> {
  const [countries = [], currencies = [], links = []] = await batch([
    ['SELECT * FROM countries'],
    ['SELECT * FROM currencies'],
    ['SELECT * FROM country_currencies ORDER BY currency_id'],
  ])
  const currenciesOf = (country: unknown) =>
    links.flatMap((link) => (link.country_id === country ? [String(link.currency_id)] : []))
  return {
    countries: new Map(
      countries.map(({ id, name, region }) => [
        String(id),
        { attributes: { name, region }, currencies: currenciesOf(id) },
      ]),
    ),
    currencies: new Map(
      currencies.map(({ id, name, symbol }) => [
        String(id),
        { attributes: { name, symbol }, currencies: [] },
      ]),
    ),
  }
}

/** Sends a request to the service. */
export function ask(origin: string, request: ModelRequest) {
  const { caller, method, body } = request
  return send(method, urlOf(request), { token: caller.token, body, origin })
}
