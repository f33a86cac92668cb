import { short } from './figures.ts'

/** One bar. */
export interface Bar {
  readonly title: string
  readonly value: number
  /** The service itself stands out. */
  readonly own: boolean
}

/** Bars that belong together, with a scale of their own. */
export interface Panel {
  readonly title: string
  readonly bars: readonly Bar[]
}

const size = { width: 760, label: 250, bar: 18, gap: 6, head: 44, foot: 18 } as const

/** Panels one below the other, as an SVG that follows the reader's colour scheme. */
export function chart(title: string, note: string, panels: readonly Panel[]): string {
  let top = 62
  const parts = panels.map((panel) => {
    const [drawn, height] = drawPanel(panel, top)
    top += height
    return drawn
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${top}" role="img" aria-label="${escaped(title)}">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 17px; font-weight: 600 }
  .note, .value { fill: #59636e; font-size: 12px }
  .panel { font-weight: 600 }
  rect { fill: #afb8c1 }
  .own { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note, .value { fill: #9198a1 }
    rect { fill: #57606a }
    .own { fill: #4493f8 }
  }
</style>
<text class="title" x="0" y="20">${escaped(title)}</text>
<text class="note" x="0" y="42">${escaped(note)}</text>
${parts.join('\n')}
</svg>
`
}

function drawPanel({ title, bars }: Panel, top: number): [drawn: string, height: number] {
  const widest = Math.max(...bars.map(({ value }) => value))
  const room = size.width - size.label - 70
  const lines = bars.map(({ title, value, own }, index) => {
    const y = top + size.head - 14 + index * (size.bar + size.gap)
    const width = Math.max(1, Math.round((value / widest) * room))
    const middle = y + size.bar - 5
    return `<text x="${size.label - 10}" y="${middle}" text-anchor="end">${escaped(title)}</text>
<rect${own ? ' class="own"' : ''} x="${size.label}" y="${y}" width="${width}" height="${size.bar}" rx="2"/>
<text class="value" x="${size.label + width + 8}" y="${middle}">${short(value)}</text>`
  })
  const height = size.head - 14 + bars.length * (size.bar + size.gap) + size.foot
  return [
    `<text class="panel" x="0" y="${top + 18}">${escaped(title)}</text>\n${lines.join('\n')}`,
    height,
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
