import { parser } from '@grafana/lezer-logql'
import type { Line, Log } from './read-log.ts'

/** A node of the tree that Grafana's parser makes. */
type Node = ReturnType<typeof parser.parse>['topNode']

/** Numbers by the value of the member that they are grouped by; by the empty text where they are not. */
type Vector = ReadonlyMap<string, number>

/** A query at the end of a minute, counted from 1970: minutes are the least that windows are made of. */
type At = (minute: number) => Vector

/** A comparison in the query of an alert. */
interface Comparison {
  /** Does the alert ask for too little of something? A log that is shorter than the window shows no lack of lines. */
  readonly isBelow: boolean
  /** What is compared, before it is compared. */
  readonly figure: At
  /** Is it a share of something? */
  readonly isShare: boolean
  /** Minutes of the window that it is made of. */
  readonly window: number
}

/** A query over a log. */
export interface Query {
  readonly at: At
  readonly comparisons: readonly Comparison[]
}

/** Milliseconds of a minute. */
export const minute = 60_000

/** The minute that a line was written in. */
export function minuteOf(line: Line | undefined): number {
  return Math.floor((line?.time ?? 0) / minute)
}

/** What a line counts with `LOG_SHARE`: the only template that is understood. */
const weight = '{{ if .share }}{{ divf 1 .share }}{{ else }}1{{ end }}'

/**
 * Reads a query as Loki would run it over a log: sums and counts over windows of whole minutes, their arithmetic and their
 * comparisons, which is what docs/monitoring asks for.
 *
 * @throws Error on whatever else LogQL has
 */
export function readQuery(text: string, { lines }: Log): Query {
  const comparisons: Comparison[] = []
  return { at: metric(parser.parse(text).topNode), comparisons }

  function metric(node: Node, by?: string): At {
    const [first, second] = childrenOf(node)
    switch (node.name) {
      case 'LogQL':
      case 'Expr':
      case 'MetricExpr':
        if (first === undefined || second !== undefined) {
          return refuse(node)
        }
        return metric(first, by)
      case 'LiteralExpr':
      case 'VectorExpr': {
        const value = new Map([['', Number(textOf(node.getChild('Number') ?? node))]])
        return () => value
      }
      case 'BinOpExpr':
        return binary(node)
      case 'VectorAggregationExpr':
        return aggregation(node)
      case 'RangeAggregationExpr':
        return range(node, by)
      default:
        return refuse(node)
    }
  }

  /** `sum`, `sum by (member)`, or `count` of such sums. */
  function aggregation(node: Node): At {
    const label = node.getChild('Grouping')?.getChild('Labels')?.getChild('Identifier')
    const inner = metric(node.getChild('MetricExpr') ?? node, label ? textOf(label) : undefined)
    switch (textOf(node.getChild('VectorOp') ?? node)) {
      case 'sum':
        return inner
      case 'count':
        return (now) => {
          const { size } = inner(now)
          return new Map(size === 0 ? [] : [['', size]])
        }
      default:
        return refuse(node)
    }
  }

  function binary(node: Node): At {
    const [left, sign, , right] = childrenOf(node)
    if (!left || !sign || !right) {
      return refuse(node)
    }
    const operator = textOf(sign)
    const unclear = [left, right]
      .map((operand) => operand.getChild('MetricExpr')?.getChild('BinOpExpr'))
      .find((inner) => inner && textOf(childrenOf(inner)[1] ?? inner) !== operator)
    // The parser knows no precedence, and Loki does: parentheses say the same to both.
    if (unclear) {
      return refuse(unclear)
    }
    const [one, other] = [metric(left), metric(right)]
    if (operator === 'or') {
      return (now) => new Map([...other(now), ...one(now)])
    }
    const calculate = operators[operator] ?? refuse(sign)
    if (node.getChild('BinOpModifier')?.getChild('Bool')) {
      const windows = [...textOf(left).matchAll(/\[\w+\]/g)].map(([range]) => minutesIn(range) ?? 0)
      comparisons.push({
        isBelow: operator === '<',
        figure: one,
        isShare: textOf(left).includes(') / '),
        window: Math.max(...windows),
      })
    }
    return (now) => {
      const others = other(now)
      return new Map(
        [...one(now)].flatMap(([key, value]) => {
          const against = others.get(key) ?? others.get('')
          return against === undefined ? [] : [[key, calculate(value, against)] as const]
        }),
      )
    }
  }

  /** `sum_over_time` of what is unwrapped, or `count_over_time`, of the lines that pass all stages. */
  function range(node: Node, by: string | undefined): At {
    const lineRange = node.getChild('LogRangeExpr') ?? node
    const window = minutesIn(textOf(lineRange.getChild('Range') ?? node))
    const kind = textOf(node.getChild('RangeOp') ?? node)
    const member = lineRange.getChild('UnwrapExpr')?.getChild('Identifier')
    if (window === undefined || kind !== (member ? 'sum_over_time' : 'count_over_time')) {
      return refuse(node)
    }
    const tests = stagesOf(lineRange.getChild('PipelineExpr')).flatMap(testOf)
    const added = sums(tests, by, member ? textOf(member) : undefined)
    const first = minuteOf(lines[0])
    return (now) => {
      const all = new Map<string, number>()
      for (let at = Math.max(first, now - window + 1); at <= now; at++) {
        for (const [key, sum] of added.get(at) ?? []) {
          all.set(key, (all.get(key) ?? 0) + sum)
        }
      }
      return all
    }
  }

  /** What the lines of each minute add up to. */
  function sums(tests: readonly Test[], by: string | undefined, member: string | undefined) {
    const all = new Map<number, Map<string, number>>()
    for (const line of lines) {
      if (tests.every((test) => test(line.members))) {
        const at = minuteOf(line)
        const key = by === undefined ? '' : String(line.members[by] ?? '')
        const sum = all.get(at) ?? new Map<string, number>()
        all.set(at, sum.set(key, (sum.get(key) ?? 0) + addendOf(line, member)))
      }
    }
    return all
  }

  function testOf(stage: Node): Test[] {
    const [, what] = childrenOf(stage)
    switch (what?.name) {
      // Each member is there without a parser, and none is called as these that are dropped.
      case 'LabelParser':
      case 'DropLabelsExpr':
        return []
      case 'LabelFormatExpr':
        return textOf(what).includes(weight) ? [] : refuse(what)
      case 'LabelFilter':
        return [filter(what)]
      default:
        return refuse(stage)
    }
  }

  function filter(node: Node): Test {
    const parts = childrenOf(node)
    if (parts.length > 1) {
      const [one, or, other] = parts
      if (!one || !other || !or || textOf(or) !== 'or') {
        return refuse(node)
      }
      const tests = [filter(one), filter(other)]
      return (members) => tests.some((test) => test(members))
    }
    const [name, sign, value] = childrenOf(parts[0] ?? node)
    if (!name || !sign || !value) {
      return refuse(node)
    }
    const member = textOf(name)
    const operator = textOf(sign)
    if (value.name !== 'String') {
      const compare = operators[operator] ?? refuse(sign)
      const bound = Number(textOf(value))
      return (members) =>
        typeof members[member] === 'number' && compare(members[member], bound) === 1
    }
    const wanted: string = JSON.parse(textOf(value))
    const pattern = new RegExp(`^(?:${operator.endsWith('~') ? wanted : ''})$`, 's')
    const tests: Readonly<Record<string, (found: string) => boolean>> = {
      '=': (found) => found === wanted,
      '!=': (found) => found !== wanted,
      '=~': (found) => pattern.test(found),
    }
    const test = tests[operator] ?? refuse(sign)
    return (members) => test(String(members[member] ?? ''))
  }

  function textOf({ from, to }: Node): string {
    return text.slice(from, to)
  }

  function refuse(node: Node): never {
    throw new Error(`This part of a query is not understood: ${textOf(node) || text}`)
  }
}

/** The minutes of a window: `[5m]`, `[28d]`; undefined where it is written otherwise. */
function minutesIn(range: string): number | undefined {
  const [, count, unit] = /^\[(\d+)([mhd])\]$/.exec(range) ?? []
  return count === undefined ? undefined : Number(count) * { m: 1, h: 60, d: 1_440 }[unit as 'm']
}

/** Is a line with these members one of those asked for? */
type Test = (members: Line['members']) => boolean

const operators: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '>': (one, other) => Number(one > other),
  '>=': (one, other) => Number(one >= other),
  '<': (one, other) => Number(one < other),
  '==': (one, other) => Number(one === other),
  '!=': (one, other) => Number(one !== other),
}

/** What a line adds: 1, the lines that it stands for, or a member. */
function addendOf({ members }: Line, unwrapped: string | undefined): number {
  if (unwrapped === undefined) {
    return 1
  }
  const share = Number(members.share ?? 1)
  return unwrapped !== 'weight' ? Number(members[unwrapped]) : share > 0 ? 1 / share : 1
}

/** The stages of a pipeline, which the parser nests from the left. */
function stagesOf(pipeline: Node | null): readonly Node[] {
  return childrenOf(pipeline).flatMap((node) =>
    node.name === 'PipelineExpr' ? stagesOf(node) : [node],
  )
}

function childrenOf(node: Node | null): readonly Node[] {
  const children: Node[] = []
  for (let child = node?.firstChild; child; child = child.nextSibling) {
    children.push(child)
  }
  return children
}
