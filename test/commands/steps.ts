/** One thing that a guide tells its reader to do, or shows what it leads to. */
export type Step = { readonly section: string } & (
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly path: string; readonly text: string }
  | { readonly kind: 'shell'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
)

/**
 * The steps of a guide in their order: its fenced blocks. The path of a file stands in bold type in the line before the
 * block.
 *
 * @throws Error for a block that no test would follow
 */
export function stepsOf(markdown: string): Step[] {
  const parts = /^## (.+)$|(?:^\*\*(\S+)\*\*.*\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm
  let section = ''
  const steps = [...markdown.matchAll(parts)].flatMap(
    ([block, heading, path, language, text = '']) => {
      section = heading ?? section
      return heading === undefined ? [stepOf(section, path, language, text, block)] : []
    },
  )
  const fences = markdown.match(/^\s*(?:```|~~~)/gm) ?? []
  if (fences.length !== 2 * steps.length) {
    throw new Error(`${fences.length} fences do not make ${steps.length} blocks`)
  }
  return steps
}

function stepOf(
  section: string,
  path: string | undefined,
  language: string | undefined,
  text: string,
  block: string,
): Step {
  if (path !== undefined && (language === 'ts' || language === 'diff')) {
    return { section, kind: language === 'ts' ? 'file' : 'change', path, text }
  }
  if (path === undefined && (language === 'sh' || language === 'json')) {
    return { section, kind: language === 'sh' ? 'shell' : 'answer', text }
  }
  throw new Error(`Nothing follows this block of "${section}":\n${block}`)
}

/**
 * A text after a change. The change is lines that begin with a space (they stay), with `-` (they go) or with `+` (they
 * come); lines that begin with `@@` stand between places.
 *
 * @throws Error when a place is not in the text, or more than once
 */
export function changed(text: string, change: string): string {
  return change.split(/^@@.*\n/m).reduce((current, place) => {
    const lines = place.match(/^.*\n/gm) ?? []
    const without = (mark: string) =>
      lines
        .filter((line) => !line.startsWith(mark))
        .map((line) => line.slice(1))
        .join('')
    const pieces = `\n${current}`.split(`\n${without('+')}`)
    if (pieces.length !== 2) {
      throw new Error(`This place is there ${pieces.length - 1} times, not once:\n${place}`)
    }
    return pieces.join(`\n${without('-')}`).slice(1)
  }, text)
}
