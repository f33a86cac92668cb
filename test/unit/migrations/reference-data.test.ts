import { describe, expect, it } from 'vitest'
import { migratedDatabase, migrations, rowsOf, singleValue } from './database.ts'

describe('reference data', () => {
  const database = migratedDatabase()
  const countries = rowsOf(database, 'SELECT id, name, region FROM countries')
  const currencies = rowsOf(database, 'SELECT id, name, symbol FROM currencies')

  it('holds the countries of the world and the currencies they use', () => {
    expect(countries).toHaveLength(250)
    expect(currencies).toHaveLength(154)
    expect(singleValue(database, 'SELECT count(*) FROM country_currencies')).toBe(267)
  })

  it('keeps quotes and letters of names as they are', () => {
    const names = countries.map(({ name }) => name)
    expect(names).toContain("Republic of Côte d'Ivoire")
    expect(names).toContain('Kingdom of Norway')
  })

  it('names a currency as its issuer does, not as another country that uses it does', () => {
    expect(currencies).toContainEqual({ id: 'DKK', name: 'Danish krone', symbol: 'kr' })
  })
})

describe('the migrations', () => {
  it('are numbered without gaps, so that the order of names is the order in which they were made', () => {
    const numbers = migrations.map(({ name }) => Number(name.slice(0, 4)))
    expect(numbers).toEqual(migrations.map((_, index) => index + 1))
  })

  it('hold no person', () => {
    expect(singleValue(migratedDatabase(), 'SELECT count(*) FROM users')).toBe(0)
  })
})
