import type { FromShape, ReadPlan, Selection } from './plan.ts'

/**
 * The text of a plan for people.
 *
 * @param usual the usual number of members with each resource; the text names any other
 */
export function planText(
  { type, from, show, alongside, members }: ReadPlan,
  usual: number,
): string {
  const lines = [
    `${type}: ${fromText(from)}`,
    ...showText(show),
    ...(members === usual ? [] : [`with ${members} members`]),
    ...alongside.map((edge) =>
      [`alongside ${edge.relationship}: ${edge.target}`, ...showText(edge.show)].join(', '),
    ),
  ]
  return lines.join('; ')
}

function fromText(from: FromShape): string {
  switch (from.kind) {
    case 'ids':
      return from.many ? 'several by id' : 'one by id'
    case 'linkage':
      return [`members of ${from.relationship}`, ...orderText(from)].join(' ')
    case 'page': {
      const { of, offset, total } = from
      const parts = [
        'page',
        of && `of ${of.type}.${of.relationship}`,
        ...orderText(from),
        offset && 'past an offset',
        total && 'with total',
      ]
      return parts.filter(Boolean).join(' ')
    }
  }
}

function orderText({ filter, sort, after }: Exclude<FromShape, { kind: 'ids' }>): string[] {
  const keys = sort.map(({ field, descending }) => (descending ? `-${field}` : field))
  const parts = [
    filter.length > 0 && `where ${filter.join(' and ')}`,
    keys.length > 0 && `by ${keys.join()}`,
    after && 'after one',
  ]
  return parts.filter((part) => part !== false)
}

function showText({ attributes, ownAttributes, relationships }: Selection): string[] {
  const shown = [
    ['shows', attributes],
    ['of own ones', ownAttributes],
    ['linkage of', relationships],
  ] as const
  return shown.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names}`)
}
