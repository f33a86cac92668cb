import { createHash } from 'node:crypto'

/** Somebody whom the local authorization server lets one be. */
export interface Person {
  readonly subject: string
  readonly name: string
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 24rem; margin: 10vh auto; padding: 0 1.5rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
ul { padding-left: 1.25rem }
form { display: grid; gap: .5rem; margin-top: 1.5rem }
button { font: inherit; text-align: left; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; background: none; color: inherit; cursor: pointer }
button:hover { background: color-mix(in srgb, currentColor 8%, transparent) }
button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
button.quiet { border-color: transparent; text-align: center }
footer { margin-top: 2rem; font-size: .875rem }
`

/** Headers of both pages: no script, no frame, no style but the page's own, never kept. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
} as const

/**
 * The page on which one picks the person to be. Each button posts `person` to the page's own address,
 * the last one `cancel`.
 *
 * @param client who asks
 * @param wishes what the client asks for, in words
 */
export function loginPage(
  client: string,
  wishes: readonly string[],
  people: readonly Person[],
): string {
  return page(
    'Sign in',
    `<p><strong>${escapeHtml(client)}</strong> wants to know who you are${wishes.length > 0 ? ' and asks to:' : '.'}</p>
${wishes.length > 0 ? `<ul>${wishes.map((wish) => `<li>${escapeHtml(wish)}</li>`).join('')}</ul>` : ''}
<form method="post">
${people.map(({ subject, name }) => `<button name="person" value="${escapeHtml(subject)}">${escapeHtml(name)}</button>`).join('\n')}
<button class="quiet" name="cancel" value="yes">Cancel</button>
</form>
<footer>Demo people of a local service: there is no password.</footer>`,
  )
}

/** A page that says one thing. */
export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`)
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
