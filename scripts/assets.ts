import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { description } from '../src/description.ts'
import { oasFile, oasVersions, placeholders } from '../src/http/oas.ts'
import { about, registry } from '../src/resources/index.ts'
import { problemsIn } from './checks/declarations.ts'
import { writeGuides } from './guides.ts'
import { paths } from './lib/config.ts'

// Checks the declarations of resource types, and makes what the static assets hold beside what is committed there: Swagger UI, the
// guides, and the interface description with placeholders for what only a deployment knows. Wrangler runs this before every build
// (wrangler.toml, [build]).
const problems = problemsIn(registry, Object.keys(about.scopes))
if (problems.length > 0) {
  // Wrangler repeats what the build prints, so that a stack would hide the sentences.
  console.error(problems.join('\n'))
  process.exit(1)
}

const swagger = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const assets = join(import.meta.dirname, '..', 'public')
const files = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'oauth2-redirect.js',
  'LICENSE',
  'NOTICE',
]

const page = join(assets, 'docs', 'swagger-ui')
await mkdir(page, { recursive: true })
await Promise.all(files.map((file) => copyFile(join(swagger, file), join(page, file))))
await writeGuides(join(assets, 'docs', 'guides'))
for (const version of oasVersions) {
  for (const isReplicated of [false, true]) {
    const made = description(placeholders, version, isReplicated)
    await put(oasFile(version, isReplicated), JSON.stringify(made))
  }
}

/** Puts a file among the assets in one step, because another build may read them, or a Worker serve them, at the same time. */
async function put(name: string, text: string): Promise<void> {
  await mkdir(paths.state, { recursive: true })
  const made = join(paths.state, `${process.pid}.${name}`)
  await writeFile(made, text)
  await rename(made, join(assets, name))
}
