import { stripVTControlCharacters } from 'node:util'
import { description } from '../../src/description.ts'
import { oasVersions } from '../../src/http/oas.ts'
import { argumentsOrExit } from '../lib/arguments.ts'
import { installed } from '../lib/install.ts'

const help = `Lints the interface description with the recommended rules of Redocly and Spectral, as a deployment serves it, in each version
of OpenAPI. The rules of Spectral hold the published schemas of OpenAPI. Whatever one of them finds is printed, and fails.
Redocly and Spectral are installed first where they are missing.

  npm run check:description
`

argumentsOrExit({ name: 'check:description', help, options: {} })
await installed(import.meta.dirname)
const { createConfig, lintFromString } = await import('@redocly/openapi-core')
const { default: spectral } = await import('@stoplight/spectral-core')
const { oas } = await import('@stoplight/spectral-rulesets')

const addresses = {
  server: 'https://api.example.org/jsonapi',
  authUrl: 'https://login.example.org',
}
const config = await createConfig({ extends: ['recommended'] })
const linter = new spectral.Spectral()
linter.setRuleset({ extends: [[oas, 'recommended']] })

for (const version of oasVersions) {
  const source = JSON.stringify(description(addresses, version))
  const found = await lintFromString({ source, absoluteRef: '/oas.json', config })
  const findings = [
    ...found.map(
      ({ ruleId, message, location: [at] }) => `Redocly ${ruleId} ${at?.pointer}: ${message}`,
    ),
    ...(await linter.run(JSON.parse(source))).map(
      ({ code, message, path }) => `Spectral ${code} /${path.join('/')}: ${message}`,
    ),
  ]
  for (const finding of findings) {
    console.error(stripVTControlCharacters(finding))
  }
  const operations = source.match(/"operationId"/g)?.length
  console.log(
    `${operations} operations in OpenAPI ${version} linted by Redocly and Spectral: ${findings.length} findings.`,
  )
  process.exitCode = findings.length > 0 ? 1 : process.exitCode
}
