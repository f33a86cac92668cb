/** Texts of any length that are hard to check. */
export type Kinds = Readonly<Record<string, (length: number) => string>>

const repeated = (unit: string) => (length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

/** So many units, each of them different. */
const counted = (unit: (index: number) => string, end: string) => (length: number) => {
  const parts: string[] = []
  for (let size = end.length; ; ) {
    const part = unit(parts.length)
    size += part.length
    if (size > length) {
      return parts.join('') + end
    }
    parts.push(part)
  }
}

const after = (start: string, rest: (length: number) => string) => (length: number) =>
  start + rest(length - start.length)

const lists = ['include', 'fields[users]', 'filter[id]', 'filter[region]', 'sort']

/** Query strings. */
export const queries: Kinds = {
  ...Object.fromEntries(
    lists.flatMap((name) => [
      [`${name} of commas`, after(`${name}=`, repeated(','))],
      [
        `${name} of unknown items`,
        after(
          `${name}=`,
          counted((i) => `x${i.toString(36)},`, ''),
        ),
      ],
      [`${name} of one item again and again`, after(`${name}=`, repeated('email,'))],
    ]),
  ),
  'fields of members': after('fields[users]=', repeated('addresses.city,addresses.zip,')),
  'unknown parameters': counted((i) => `x${i.toString(36)}&`, ''),
  'parameters without a value': repeated('a&'),
  'parameters without a name': repeated('=&'),
  'one parameter again and again': repeated('sort=&'),
  'broken percent-encoding': repeated('a=%E4&'),
  'one broken text': after('filter[id]=', repeated('%E4')),
  'percent-encoded items': after('filter[id]=', repeated('%2C%41')),
  'a long cursor': after('page[cursor]=', repeated('z')),
  'a cursor that is read': after('page[cursor]=', (length) => 'A'.repeat(Math.min(length, 4_096))),
  'a long number': after('page[limit]=', repeated('9')),
  'a long unknown name': repeated('x'),
}

const inAttributes = (rest: (length: number) => string) =>
  after('{"data":{"type":"users","attributes":{', (length) => `${rest(length - 3)}}}}`)

/** Request bodies. */
export const bodies: Kinds = {
  'unknown attributes': inAttributes(counted((i) => `"x${i}":0,`, '"y":0')),
  'unknown relationships': after(
    '{"data":{"type":"users","relationships":{',
    counted((i) => `"x${i}":0,`, '"y":0}}}'),
  ),
  'unknown members': after(
    '{',
    counted((i) => `"x${i}":0,`, '"y":0}'),
  ),
  'members to be dropped': after(
    '{',
    counted((i) => `"@${i}":0,`, '"y":0}'),
  ),
  'escaped names': after(
    '{',
    counted((i) => `"\\u0061${i}":0,`, '"y":0}'),
  ),
  'an array of numbers': after(
    '{"data":[',
    counted(() => '0,', '0]}'),
  ),
  'an array of identifiers': after(
    '{"data":[',
    counted((i) => `{"type":"users","id":"${i}"},`, '0]}'),
  ),
  'relatives of a new user': after(
    '{"data":{"type":"users","relationships":{"relatives":{"data":[',
    counted((i) => `{"type":"users","id":"${i}"},`, '0]}}}}'),
  ),
  'addresses of nothing': inAttributes(
    after(
      '"addresses":[',
      counted(() => '{},', '0]'),
    ),
  ),
  'included of arrays': after(
    '{"included":[',
    counted(() => '[],', '0]}'),
  ),
  'strings of NUL': after(
    '{"data":[',
    counted(() => '"\\u0000",', '0]}'),
  ),
  'strings of NUL under a long name': (length) =>
    after(
      `{"${'x'.repeat(length / 2)}":[`,
      counted(() => '"\\u0000",', '0]}'),
    )(length),
  'deep objects': after(
    '{"data":[',
    counted(() => `${'{"x":'.repeat(29)}0${'}'.repeat(29)},`, '0]}'),
  ),
  'brackets that open': repeated('{"a":['),
  'a string that never ends': after('{"a":"', repeated('\\"')),
  'a long name': (length) =>
    inAttributes(() => `"fullName":"${'x '.repeat((length - 80) / 2)}"`)(0),
  'a long e-mail address': (length) =>
    inAttributes(() => `"email":"${'a.'.repeat((length - 80) / 2)}"`)(0),
  'a long card number': (length) =>
    inAttributes(() => `"creditCardNumber":"${'1 '.repeat((length - 90) / 2)}"`)(0),
}

/** Headers with media types. */
export const headers: Kinds = {
  commas: repeated(','),
  'ranges without a slash': repeated('a,'),
  'ranges of this type': repeated('application/vnd.api+json;q=0,'),
  parameters: after('application/vnd.api+json', repeated(';a=b')),
  'a quote that never ends': after('application/vnd.api+json;profile="', repeated('\\"')),
}
