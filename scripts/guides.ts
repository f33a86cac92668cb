import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Marked } from 'marked'

/** Writes the guides and the contract, which are Markdown, as pages. */
export async function writeGuides(documents: string, folder: string): Promise<void> {
  const guides = await readdir(join(documents, 'guides'))
  const files = [...guides.map((name) => join('guides', name)), 'contract.md']
  const pages = new Map(files.map((file) => [basename(file), pageOf(file)]))
  const marked = markedFor(pages)
  await mkdir(folder, { recursive: true })
  for (const file of files) {
    const text = await readFile(join(documents, file), 'utf8')
    await writeFile(join(folder, pageOf(file)), pageWith(await marked.parse(text)))
  }
}

function pageOf(file: string): string {
  return basename(file).replace('README', 'index').replace('.md', '.html')
}

/** Makes the converter. A link to a document that is not among the pages becomes plain text. */
function markedFor(pages: ReadonlyMap<string, string>): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${placeOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const [path = '', place] = href.split('#')
        const isElsewhere = path === '' || path.startsWith('https:')
        const page = isElsewhere ? path : pages.get(basename(path))
        const target = page !== undefined && place !== undefined ? `${page}#${place}` : page
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
