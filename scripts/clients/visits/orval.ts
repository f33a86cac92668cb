import {
  createUser,
  deleteUser,
  getCountry,
  getUser,
  listCountries,
  type Region,
  type UserCreate,
} from '../generated/orval.ts'
import { sizesOf, type Visit } from './seen.ts'

const region: Region = 'Europe'

export const visit: Visit = async ({ token, email }) => {
  const options = { headers: { Authorization: `Bearer ${token}` } }

  const panama = await getCountry('PA', { include: ['currencies'] }, options)
  const pages = await sizesOf(async (cursor) => {
    const page = cursor === undefined ? {} : { 'page[cursor]': cursor }
    const answer = await listCountries({ 'filter[region]': [region], ...page }, options)
    if (answer.status !== 200) {
      throw new Error(`The answer is ${answer.status}`)
    }
    return answer.data
  })

  const attributes = { fullName: 'Typed Client', email }
  const body: UserCreate = { data: { type: 'users', attributes } }
  const made = await createUser(body, undefined, options)
  const again = await createUser(body, undefined, options)
  const id = made.status === 201 ? made.data.data.id : ''
  const read = await getUser(id, undefined, options)
  await deleteUser(id, options)
  const nobody = await listCountries()

  return {
    symbols:
      panama.status === 200
        ? (panama.data.included?.map((currency) => currency.attributes?.symbol) ?? [])
        : [],
    pages,
    name: read.status === 200 ? read.data.data.attributes?.fullName : undefined,
    refusal: again.status === 409 ? again.data.errors[0]?.code : undefined,
    unauthorized: nobody.status === 401 ? nobody.data.errors[0]?.code : undefined,
  }
}
