import { argumentsOrExit } from '../lib/arguments.ts'
import { installed } from '../lib/install.ts'

const help = `Writes migrations/0002_reference_data.sql, the countries and currencies, from the package world-countries.

  npm run data
`

argumentsOrExit({ name: 'data', help, options: {} })
await installed(import.meta.dirname)
await import('./generate.ts')
