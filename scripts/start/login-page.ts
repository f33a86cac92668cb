import { html } from 'hono/html'
import { demoPeople } from './demo-people.ts'

/** Headers of the page: no script, no frame, never kept. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
} as const

/**
 * The page on which one picks the person to be. Each button posts `person` to the page's own address,
 * the last one `cancel`.
 *
 * @param client who asks
 * @param wishes what the client asks for, in words
 */
export function loginPage(client: string, wishes: readonly string[]): string {
  const items = wishes.map((wish) => html`<li>${wish}</li>`)
  const buttons = demoPeople.map(
    ({ subject, name }) => html`<button name="person" value="${subject}">${name}</button>`,
  )
  return String(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 24rem; margin: 10vh auto; padding: 0 1.5rem }
form { display: grid; gap: .5rem }
button { font: inherit; padding: .75rem 1rem }
</style>
<h1>Sign in</h1>
<p><strong>${client}</strong> wants to know who you are, and asks for:</p>
<ul>${items}</ul>
<form method="post">
${buttons}
<button name="cancel" value="yes">Cancel</button>
</form>
<p>Demo people of a local service: there is no password.</p>
`)
}
