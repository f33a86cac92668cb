// Writes src/generated from the interface description, which is made from the declarations of the service.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { description } from '../../src/description.ts'

const folder = import.meta.dirname
for (const made of ['dist', 'src/generated']) {
  await rm(join(folder, made), { recursive: true, force: true })
}
// Whoever uses the package names the service: no address is generated.
const nowhere = { server: 'https://api.example.com/jsonapi', authUrl: 'https://login.example.com' }
await createClient({
  input: JSON.parse(JSON.stringify(description(nowhere))),
  output: { path: join(folder, 'src', 'generated'), module: { extension: '.js' } },
  logs: { level: 'warn' },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/client-fetch', baseUrl: false, throwOnError: true },
    { name: '@hey-api/sdk', client: false },
  ],
})
