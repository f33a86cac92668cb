import { absent, type BadBody, format, updating, withAttributes } from './bad-body.ts'
import { addressesOf } from './writers.ts'

const name = '/data/attributes/fullName'
const email = '/data/attributes/email'
const card = '/data/attributes/creditCardNumber'
const addresses = '/data/attributes/addresses'

const fullNames: readonly BadBody[] = (
  [
    ['null', null, absent(name)],
    ['a number', 7, format(name)],
    ['an object', { first: 'Ann' }, format(name)],
    ['empty', '', format(name)],
    ['blank', ' \t\n', format(name)],
    ['with a space before it', ' Ann', format(name)],
    ['with a no-break space after it', 'Ann\u00a0', format(name)],
    ['with a byte order mark before it', '\ufeffAnn', format(name)],
    ['with a line break in it', 'Ann\nBee', format(name)],
    ['with DEL', 'Ann\u007fBee', format(name)],
    ['with a control character of Latin-1', 'Ann\u0085Bee', format(name)],
    ['129 characters long', 'x'.repeat(129), format(name)],
    ['129 characters long, of two code units each', '😀'.repeat(129), format(name)],
    ['with NUL', 'Ann\0Bee', format(name)],
    ['with a lone surrogate', 'Ann \ud800', format(name)],
  ] as const
).map(([what, fullName, fault]) => [
  `fullName ${what}`,
  'create',
  withAttributes({ fullName }),
  fault,
])

const emails: readonly BadBody[] = (
  [
    ['null', null, absent(email)],
    ['a number', 7, format(email)],
    ['true', true, format(email)],
    ['empty', '', format(email)],
    ['without @', 'ann.example.com', format(email)],
    ['with two @', 'ann@bee@example.com', format(email)],
    ['without a local part', '@example.com', format(email)],
    ['without a domain', 'ann@', format(email)],
    ['with a space', 'ann bee@example.com', format(email)],
    ['with a space at its end', 'ann@example.com ', format(email)],
    ['with a display name', 'Ann <ann@example.com>', format(email)],
    ['with a line break', 'ann@example.com\nBcc: bob@example.com', format(email)],
    ['255 characters long', `a@${`${'b'.repeat(62)}.`.repeat(4)}c`, format(email)],
    ['with 65 characters before the @', `${'a'.repeat(65)}@example.com`, format(email)],
    ['with a label of 64 characters', `ann@${'a'.repeat(64)}.com`, format(email)],
    ['with a hyphen at the end of a label', 'ann@example-.com', format(email)],
    ['with two dots in the domain', 'ann@example..com', format(email)],
    ['with letters beyond ASCII', 'åse@example.com', format(email)],
    ['with a quoted local part', '"ann bee"@example.com', format(email)],
    ['with a literal address', 'ann@[127.0.0.1]', format(email)],
    ['with NUL', 'ann\0@example.com', format(email)],
    ['with a lone surrogate', 'ann\udfff@example.com', format(email)],
  ] as const
).map(([what, value, fault]) => [
  `email ${what}`,
  'create',
  withAttributes({ email: value }),
  fault,
])

const cards: readonly BadBody[] = (
  [
    ['a number', 4111111111111111],
    ['an array', ['4111111111111111']],
    ['empty', ''],
    ['of 7 digits', '1234567'],
    ['of 20 digits', '1'.repeat(20)],
    ['with letters', '4111 1111 1111 111x'],
    ['with two spaces together', '4111  1111 1111 1111'],
    ['with a space and a hyphen together', '4111 -1111-1111-1111'],
    ['with a space before it', ' 4111111111111111'],
    ['with a hyphen after it', '4111111111111111-'],
    ['in digits of another script', '٤١١١١١١١١١١١١١١١'],
    ['with a line break after it', '4111111111111111\n'],
    ['with NUL', '4111111111111111\0'],
  ] as const
).map(([what, creditCardNumber]) => [
  `creditCardNumber ${what}`,
  'create',
  withAttributes({ creditCardNumber }),
  format(card),
])

const addressLists: readonly BadBody[] = (
  [
    ['null', null, absent(addresses)],
    ['an object', {}, format(addresses)],
    ['a string', 'Oslo', format(addresses)],
    ['21 of them', Array(21).fill({ city: 'Oslo' }), format(addresses)],
    ['of 2,049 bytes', addressesOf(2049), format(addresses)],
    ['with null in them', [{ city: 'Oslo' }, null], absent(`${addresses}/1`)],
    ['with a string in them', ['Oslo'], format(`${addresses}/0`)],
    ['with an empty one', [{}], format(`${addresses}/0`)],
    ['with an unknown member', [{ city: 'Oslo', street: 'x' }], format(`${addresses}/0/street`)],
    ['with a city that is a number', [{ city: 7 }], format(`${addresses}/0/city`)],
    ['with an empty city', [{ city: '', zip: '0150' }], format(`${addresses}/0/city`)],
    ['with a city of 129 characters', [{ city: 'x'.repeat(129) }], format(`${addresses}/0/city`)],
    ['with a zip that is a number', [{ zip: 150 }], format(`${addresses}/0/zip`)],
    ['with a zip of 33 characters', [{ zip: 'x'.repeat(33) }], format(`${addresses}/0/zip`)],
    ['with an empty door code', [{ doorCode: '' }], format(`${addresses}/0/doorCode`)],
    ['with a long door code', [{ doorCode: 'x'.repeat(33) }], format(`${addresses}/0/doorCode`)],
    ['with NUL', [{ city: 'Os\0lo' }], format(`${addresses}/0/city`)],
    ['with a blank city', [{ city: '\u2003 ' }], format(`${addresses}/0/city`)],
    ['with a space after the zip', [{ zip: '0150 ' }], format(`${addresses}/0/zip`)],
    ['with a tab in the door code', [{ doorCode: '1\t2' }], format(`${addresses}/0/doorCode`)],
  ] as const
).map(([what, value, fault]) => [
  `addresses ${what}`,
  'create',
  withAttributes({ addresses: value }),
  fault,
])

/** Bodies whose attributes break their rules (contract, section 6). */
export const badAttributes: readonly BadBody[] = [
  ...fullNames,
  ...emails,
  ...cards,
  ...addressLists,
  ['no email', 'create', withAttributes({ email: undefined }), absent('/data/attributes')],
  ['no fullName', 'create', withAttributes({ fullName: undefined }), absent('/data/attributes')],
  [
    'several bad values',
    'create',
    withAttributes({
      fullName: '',
      email: 'ann',
      creditCardNumber: '1',
      addresses: [{}, { zip: 1, doorCode: 2 }],
    }),
    format(name),
    format(email),
    format(card),
    format(`${addresses}/0`),
    format(`${addresses}/1/zip`),
    format(`${addresses}/1/doorCode`),
  ],
  [
    'addresses over their bytes, with faults of their own in them',
    'create',
    withAttributes({ addresses: [{ street: 'x' }, ...addressesOf(2048)] }),
    format(addresses),
    format(`${addresses}/0`),
    format(`${addresses}/0/street`),
  ],
  [
    'addresses too many and too long, with a bad one among the first',
    'create',
    withAttributes({ addresses: [{ city: '' }, ...addressesOf(2048), ...Array(20).fill({})] }),
    format(addresses),
    format(addresses),
    format(`${addresses}/0/city`),
    ...Array.from({ length: 11 }, (_, index) => format(`${addresses}/${index + 9}`)),
  ],
  ['fullName blank', 'update', updating({ attributes: { fullName: ' ' } }), format(name)],
  ['fullName null', 'update', updating({ attributes: { fullName: null } }), absent(name)],
  ['email null', 'update', updating({ attributes: { email: null } }), absent(email)],
  [
    'creditCardNumber false',
    'update',
    updating({ attributes: { creditCardNumber: false } }),
    format(card),
  ],
]
