import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Marked } from 'marked'
import { paths } from './lib/config.ts'

/** The programs that the guides show, and the package's own page, from the root of the project. */
const clients = [
  'clients/typescript/README.md',
  'clients/typescript/example.ts',
  'clients/typescript/src/patient-fetch.ts',
  'clients/programs/fetch.ts',
  'clients/programs/kitsu.ts',
  'clients/programs/sign-in.ts',
]

/** Writes the guides, the contract, and what the guides show of clients, as pages. */
export async function writeGuides(folder: string): Promise<void> {
  const guides = await readdir(join(paths.root, 'docs', 'guides'))
  const files = [...guides.map((name) => `docs/guides/${name}`), 'docs/contract.md', ...clients]
  const pages = new Map(files.map((file) => [file, pageOf(file)]))
  await mkdir(folder, { recursive: true })
  for (const [file, page] of pages) {
    const text = await readFile(join(paths.root, file), 'utf8')
    const body = file.endsWith('.md')
      ? await markedFor(file, pages).parse(text)
      : program(file, text)
    await writeFile(join(folder, page), pageWith(body))
  }
}

function pageOf(file: string): string {
  const name = file.startsWith('clients') ? 'package' : 'index'
  return basename(file)
    .replace('README', name)
    .replace(/\.\w+$/, '.html')
}

/** Makes the converter of a file. A link to a document that is not among the pages becomes plain text. */
function markedFor(file: string, pages: ReadonlyMap<string, string>): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${placeOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const { origin, pathname, hash } = new URL(href, `file:///${file}`)
        const page = pages.get(pathname.slice(1))
        const target = origin === 'null' ? page && page + hash : href
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
    },
  })
}

/** The name of the place of a heading, as GitHub gives it. */
function placeOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-')
}

function program(file: string, text: string): string {
  const code = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return `<h1>${file}</h1>\n<pre><code>${code}</code></pre>\n`
}
function pageWith(body: string): string {
  const [, title = ''] = /<h1[^>]*>([^<]*)/.exec(body) ?? []
  const content = body
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Users, Countries and Currencies</title>
<link rel="icon" href="../favicon.svg">
<link rel="stylesheet" href="../docs.css">
</head>
<body class="document">
<nav aria-label="Documents"><a href="../../docs">Try it out</a> <a href="index.html">Guides</a> <a href="contract.html">Contract</a></nav>
<main>
${content}</main>
</body>
</html>
`
}
