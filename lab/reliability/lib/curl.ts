import type { Sent } from '../../../test/fuzz/send.ts'

/**
 * A request as a command, with `$TOKEN` in the place of a signed token.
 *
 * @param origin of the service, or a variable of the shell that holds it
 */
export function curlOf(
  { method, path, headers, body }: Sent,
  origin: string,
  remark: string,
): string {
  return [
    'curl -isg --path-as-is',
    method === 'HEAD' ? '-I' : method === 'GET' ? '' : `-X ${method}`,
    ...headers.map(([name, value]) =>
      name === 'Authorization' && value.startsWith('Bearer ey')
        ? '-H "Authorization: Bearer $TOKEN"'
        : `-H ${shell(`${name}: ${value}`)}`,
    ),
    body === undefined ? '' : `--data-binary ${dataOf(Buffer.from(body))}`,
    `"${origin}"${shell(path)}`,
    `# ${remark}`,
  ]
    .filter(Boolean)
    .join(' ')
}

function dataOf(bytes: Buffer): string {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) && !text.includes('\0')
    ? shell(text)
    : `@<(echo ${bytes.toString('base64')} | base64 -d)`
}

/** A text as words of a POSIX shell with `seq`; what is repeated in it at least twenty times is told once. */
export function shell(text: string): string {
  const quoted = (part: string) => `'${part.replaceAll("'", String.raw`'\''`)}'`
  let words = ''
  let from = 0
  for (const { 0: run, 1: unit = '', index } of text.matchAll(/([^\0]{1,40}?)\1{20,}/g)) {
    const format = unit.replaceAll('\\', String.raw`\\`).replaceAll('%', '%%')
    words += from < index ? quoted(text.slice(from, index)) : ''
    words += `"$(printf ${quoted(`${format}%.0s`)} $(seq ${run.length / unit.length}))"`
    from = index + run.length
  }
  return from < text.length || words === '' ? words + quoted(text.slice(from)) : words
}
