/** What somebody types at a terminal, and why. */
export interface Scene {
  readonly note: string
  readonly command: string
}

/** One request by three callers, with the variables of the README's tour. */
export const scenes: readonly Scene[] = [
  ['John reads himself: his name, and his card', 'john'],
  ['Jane reads John: his name', 'jane'],
  ['A machine reads John: there is such a user', 'machine'],
].map(([note = '', caller]) => ({
  note,
  command: `curl -gs -H "Authorization: Bearer $${caller}" "$api/users/1?fields[users]=fullName,creditCardNumber"`,
}))

/** A line of the picture: what kind it is, and after how many seconds it appears. */
interface Line {
  readonly kind: 'note' | 'command' | 'answer' | 'answer shown'
  readonly text: string
  readonly second: number
}

/** The most characters of a line of an answer. */
const widest = 96

/** Seconds from one thing to the next: typing takes a while, an answer comes at once. */
const pauses = { beforeNote: 1, note: 0.5, typing: 1.9, line: 0.1 }

const lineHeight = 21
const margin = { top: 64, left: 24, scene: 21 }

/** A picture (SVG) of a terminal in which each scene is played: the answers are JSON as it came. */
export function pictureOf(played: readonly (Scene & { readonly answer: string })[]): string {
  let second = 0
  const linesOf = played.map(({ note, command, answer }): Line[] => {
    const noted = second + pauses.beforeNote
    const answered = noted + pauses.note + pauses.typing
    const answers = setOut(JSON.parse(answer), 0).split('\n')
    second = answered + pauses.line * answers.length
    return [
      { kind: 'note', text: `# ${note}`, second: noted },
      { kind: 'command', text: `$ ${command}`, second: noted + pauses.note },
      ...answers.map((text, index) => ({
        kind: text.includes('"attributes"') ? ('answer shown' as const) : ('answer' as const),
        text,
        second: answered + pauses.line * index,
      })),
    ]
  })
  let y = margin.top - lineHeight - margin.scene
  const texts = linesOf.flatMap((lines) => {
    y += margin.scene
    return lines.map(({ kind, text, second }) => {
      y += lineHeight
      return `    <text class="${kind}" x="${margin.left}" y="${y}" style="animation-delay:${second.toFixed(1)}s">${escaped(text)}</text>`
    })
  })
  const height = y + 28
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 ${height}" role="img" aria-label="One request, three callers: a person sees their own card number, another person sees the name alone, a machine sees neither">
  <style>
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #c9d1d9; }
    .note { fill: #8b949e; }
    .command { fill: #79c0ff; }
    .shown { fill: #7ee787; }
    @media (prefers-reduced-motion: no-preference) {
      .note, .answer { opacity: 0; animation: appear 0.01s forwards; }
      .command { clip-path: inset(-4px 100% -4px 0); animation: type 1.6s steps(96) forwards; }
    }
    @keyframes appear { to { opacity: 1; } }
    @keyframes type { to { clip-path: inset(-4px 0 -4px 0); } }
  </style>
  <rect width="880" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="24" cy="22" r="6" fill="#ff5f56"/><circle cx="44" cy="22" r="6" fill="#ffbd2e"/><circle cx="64" cy="22" r="6" fill="#27c93f"/>
  <g xml:space="preserve">
${texts.join('\n')}
  </g>
</svg>
`
}

/** JSON with few lines: an object that fits on one stands on one, and others close where their last member ends. */
function setOut(value: unknown, indent: number): string {
  const inline = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ')
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || indent + inline.length <= widest) {
    return inline
  }
  const members = Object.entries(value).map(
    ([name, member]) => `"${name}": ${setOut(member, indent + 2)}`,
  )
  return `{ ${members.join(`,\n${' '.repeat(indent + 2)}`)} }`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
