/** A run of text that a shell writes with one `printf`: the format once for each number. */
interface Series {
  /** As `printf` takes it: `%d` and `%012d` stand for the number, `%.0s` for nothing, `%%` and `\\\\` for one of the two. */
  readonly format: string
  readonly from: number
  readonly to: number
}

/** Text in parts, so that a long one can be told briefly. */
export type Text = readonly (string | Series)[]

/** `count` times the text of the format, whose numbers begin at `from`. */
export function series(format: string, count: number, from = 1): Text {
  return count > 0 ? [{ format, from, to: from + count - 1 }] : []
}

/** `count` times the same text. */
export function repeated(text: string, count: number): Text {
  return series(`${text.replaceAll('\\', '\\\\').replaceAll('%', '%%')}%.0s`, count)
}

/** Like {@link series}, with commas between. */
export function listed(format: string, count: number, from = 1): Text {
  return count > 0
    ? [...series(`${format},`, count - 1, from), ...series(format, 1, from + count - 1)]
    : []
}

/** The text as it is. */
export function expanded(text: Text): string {
  return text.map((part) => (typeof part === 'string' ? part : expandedSeries(part))).join('')
}

/** What a directive without a number stands for. */
const plain: Readonly<Record<string, string>> = { '%%': '%', '\\\\': '\\' }

function expandedSeries({ format, from, to }: Series): string {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return numbers
    .map((number) =>
      format.replace(/%%|\\\\|%\.0s|%(?:0(\d+))?d/g, (directive, width = '0') =>
        directive.endsWith('d') ? padded(number, Number(width)) : (plain[directive] ?? ''),
      ),
    )
    .join('')
}

function padded(number: number, width: number): string {
  return String(number).padStart(width, '0')
}

/** The text as words of a POSIX shell with `seq`. */
export function shell(text: Text): string {
  return joined(text)
    .map((part) => {
      if (typeof part === 'string') {
        return quoted(part)
      }
      const { format, from, to } = part
      return `"$(printf ${quoted(format)} $(seq ${from} ${to}))"`
    })
    .join('')
}

/** Neighbouring strings and series of one as one string, and none that is empty. */
function joined(text: Text): Text {
  const parts: (string | Series)[] = []
  for (const part of text) {
    const last = parts.at(-1)
    const text = typeof part === 'string' || part.from < part.to ? part : expandedSeries(part)
    if (typeof text === 'string' && typeof last === 'string') {
      parts[parts.length - 1] = last + text
    } else if (text !== '') {
      parts.push(text)
    }
  }
  return parts
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
