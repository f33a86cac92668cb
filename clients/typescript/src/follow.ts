import type { Client } from './generated/client/index.js'
import type {
  CountryCurrenciesDocument,
  CountryCurrenciesList,
  CountryDocument,
  CountryList,
  CurrencyList,
  UserCitizenshipsDocument,
  UserCitizenshipsList,
  UserDocument,
  UserList,
  UserPlaceOfBirthDocument,
  UserPlaceOfBirthItem,
  UserRelativesDocument,
  UserRelativesList,
} from './generated/index.js'

/** Each document that a link of an answer can lead to. */
export type LinkedDocument =
  | CountryCurrenciesDocument
  | CountryCurrenciesList
  | CountryDocument
  | CountryList
  | CurrencyList
  | UserCitizenshipsDocument
  | UserCitizenshipsList
  | UserDocument
  | UserList
  | UserPlaceOfBirthDocument
  | UserPlaceOfBirthItem
  | UserRelativesDocument
  | UserRelativesList

/** Can be given up by aborting a signal. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the document that a link of an answer leads to: of a page, a resource or a relationship.
 *
 * @typeParam Known the type of that document, for those who know where the link leads: `follow<CountryDocument>(client, link)`
 * @param link as it stands in the answer: a path from the root of the host
 * @throws ServiceError if the read is refused, and the signal's reason if it aborts
 */
export async function follow<Known extends LinkedDocument = LinkedDocument>(
  client: Client,
  link: string,
  { signal }: Abortable = {},
): Promise<Known> {
  const { data } = await client.get<{ 200: LinkedDocument }, unknown, true>({
    baseUrl: new URL(client.getConfig().baseUrl ?? '').origin,
    url: link,
    signal,
    security: [{ type: 'http', scheme: 'bearer' }],
  })
  return data as Known
}
