/**
 * Writes JSON data as YAML 1.2 in block style. Text is plain where nobody can take it for anything else, a
 * literal block where it has several lines, and JSON, which is YAML too, everywhere else.
 */
export function toYaml(data: unknown): string {
  return `${node(data, '').trimStart()}\n`
}

/** What follows a key or a dash: on the same line, or on lines of its own. */
function node(value: unknown, indent: string): string {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => `\n${indent}- ${node(item, inner).trimStart()}`)
    return items.join('') || ' []'
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `\n${indent}${scalar(name)}:${node(member, inner)}`)
    return members.join('') || ' {}'
  }
  return typeof value === 'string' && isLiteral(value)
    ? ` |-${value.replace(/^(?=.)/gm, indent).replace(/^/, '\n')}`
    : ` ${scalar(value)}`
}

function scalar(value: unknown): string {
  return typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)
}

/** Several lines of printable characters, with nothing at either end that a parser would drop. */
function isLiteral(text: string): boolean {
  return /^\S.*\n.*\S$/s.test(text) && !/[^\P{C}\n]/u.test(text)
}

/** No other type, no comment, no mapping: as YAML 1.1 reads it, too, where `no` is false. */
function isPlain(text: string): boolean {
  return (
    /^[a-z/$][\x20-\x7e]*$/i.test(text) &&
    !/: | #|[: ]$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  )
}
