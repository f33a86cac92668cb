import {
  type BadBody,
  conflict,
  data,
  format,
  payload,
  updating,
  withAttributes,
  withRelationships,
} from './bad-body.ts'
import { countries } from './writers.ts'

const utf8 = new TextEncoder()
const good = JSON.stringify(data({}))

/** Bytes with others at a place of the text that holds `¤`. */
function bytesAt(text: string, ...bytes: readonly number[]): Uint8Array {
  const [before = '', after = ''] = text.split('¤')
  return Uint8Array.of(...utf8.encode(before), ...bytes, ...utf8.encode(after))
}

/** A good create that is so many bytes long. */
export function ofLength(bytes: number, body = data({})): string {
  const text = JSON.stringify({ ...body, meta: { padding: '' } })
  return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`)
}

/** A good create with so many arrays and objects within each other. */
export function ofDepth(levels: number, body = data({})): string {
  const nested = '['.repeat(levels - 2) + ']'.repeat(levels - 2)
  return JSON.stringify({ ...body, meta: { nested: 0 } }).replace(':0}', `:${nested}}`)
}

const inFullName = JSON.stringify(withAttributes({ fullName: '¤' }))

/** Bodies made to break what reads them (contract, sections 5 and 6). */
export const hostileBodies: readonly BadBody[] = [
  ['nothing at all', 'create', '', payload()],
  ['nothing at all', 'update', '', payload()],
  ['nothing at all', 'removeRelatives', '', payload()],
  ['white space', 'create', ' \r\n', payload()],
  ['null', 'create', 'null', payload()],
  ['an array', 'create', '[]', payload()],
  ['an array of resources', 'create', `[${good}]`, payload()],
  ['a string', 'update', '"users"', payload()],
  ['a number', 'replaceCitizenships', '0', payload()],
  ['half of it', 'create', good.slice(0, -10), payload()],
  ['a string without an end', 'create', '{"data":"', payload()],
  ['a comma too many', 'create', good.replace(/}$/, ',}'), payload()],
  ['a comment', 'create', `/* users */${good}`, payload()],
  ['something after it', 'create', `${good}{}`, payload()],
  ['single quotes', 'create', good.replaceAll('"', "'"), payload()],
  ['a name without quotes', 'create', good.replace('"data"', 'data'), payload()],
  ['NaN', 'create', '{"data":NaN}', payload()],
  ['a form', 'create', 'data%5Btype%5D=users', payload()],
  ['a line break in a string', 'create', inFullName.replace('¤', '\n'), payload()],

  ['a byte that no UTF-8 holds', 'create', bytesAt(inFullName, 0xff), payload()],
  ['half a character', 'create', bytesAt(inFullName, 0xc3), payload()],
  ['an overlong slash', 'create', bytesAt(inFullName, 0xc0, 0xaf), payload()],
  ['a surrogate in UTF-8', 'create', bytesAt(inFullName, 0xed, 0xa0, 0x80), payload()],
  ['NUL in UTF-8', 'create', bytesAt(inFullName, 0), payload()],
  ['a byte-order mark', 'create', `\ufeff${good}`, payload()],
  ['UTF-16', 'create', Uint8Array.from(Buffer.from(`\ufeff${good}`, 'utf16le')), payload()],

  ['a member twice', 'create', good.replace('{', '{"data":{},'), payload()],
  ['an attribute twice', 'create', good.replace('"email"', '"fullName":"B","email"'), payload()],
  ['a member twice, once escaped', 'create', good.replace('{', '{"d\\u0061ta":{},'), payload()],
  ['a member twice in meta', 'update', '{"data":{},"meta":{"a":1,"b":{"a":1},"a":2}}', payload()],
  ['33 levels', 'create', ofDepth(33), payload()],
  ['33 levels of data', 'addRelatives', `${'[{"data":'.repeat(16)}[`, payload()],
  ['64 KiB and a byte', 'create', ofLength(64 * 1024 + 1), payload()],
  ['64 KiB of brackets', 'create', '['.repeat(64 * 1024), payload()],
  ['1 MB of brackets', 'create', '['.repeat(1_000_000), payload()],
  ['1 MB of braces', 'update', '{"a":'.repeat(200_000), payload()],
  ['1 MB of quotation marks', 'create', '"'.repeat(1_000_000), payload()],
  ['64 KiB of backslashes', 'create', `{"data":"${'\\'.repeat(65_000)}`, payload()],

  ['__proto__ beside data', 'create', good.replace(/}$/, ',"__proto__":{}}'), format('/__proto__')],
  [
    '__proto__ with the attributes in it',
    'create',
    '{"data":{"type":"users","attributes":{"fullName":"A","email":"a@example.com","__proto__":{"fullName":"B"}}}}',
    format('/data/attributes/__proto__'),
  ],
  [
    '__proto__ in meta',
    'create',
    good.replace(/}$/, ',"meta":{"a":[{"__proto__":{"polluted":true}}]}}'),
    format('/meta/a/0/__proto__'),
  ],
  [
    '__proto__ in an identifier',
    'addCitizenships',
    '{"data":[{"type":"countries","id":"NO","__proto__":{"id":"SE"}}]}',
    format('/data/0/__proto__'),
  ],
  ['a name with NUL', 'create', { ...data({}), meta: { 'a\0': 1 } }, format('/meta/a\0')],
  [
    'a name with a lone surrogate',
    'create',
    { ...data({}), meta: { 'a\ud800': 1 } },
    format('/meta/a\ufffd'),
  ],
  ['NUL in meta', 'create', { ...data({}), meta: { a: ['\0'] } }, format('/meta/a/0')],
  ['a lone surrogate in lid', 'create', data({ lid: '\udc00' }), format('/data/lid')],
  ['NUL in the id', 'update', updating({ id: '1\0' }), format('/data/id'), conflict('/data/id')],
  [
    'NUL in the type',
    'addCitizenships',
    { data: [{ type: 'countries\0', id: 'NO' }] },
    format('/data/0/type'),
  ],
  [
    'NUL and a bad value',
    'create',
    withRelationships({ citizenships: { data: countries('N\0', '') } }),
    format('/data/relationships/citizenships/data/0/id'),
    format('/data/relationships/citizenships/data/1/id'),
  ],
]
