import type { Operation } from '../../fuzz/description.ts'
import { wrongTokens } from '../../fuzz/tokens.ts'
import { bodyGenes, bodyOf, largeBodies } from './body.ts'
import type { goodCallers } from './callers.ts'
import type { Candidate, Subject } from './candidate.ts'
import { headerGenes, headersOf } from './headers.ts'
import {
  atomicType,
  operationsBody,
  operationsGenes,
  pairsOfOperations,
} from './operations-body.ts'
import { goodPairs, includedPaths, queryGenes, queryOf } from './query.ts'
import { expanded, repeated, type Text } from './text.ts'
import { groups, idOf, standing } from './world.ts'

/** Everything that is searched for its worst request. */
export function subjectsOf(operations: readonly Operation[], root: string): Subject[] {
  const priced = operations.map((operation) => subjectOf(operation, root))
  const callers = { good: ['reader', 'writer', 'client'], wrong: wrongTokens }
  return [
    ...priced,
    anySubject('with long headers', priced, callers.good),
    anySubject('without a valid token', priced, callers.wrong),
    freeSubject(root),
  ]
}

/** One operation, asked by callers whose token is good. */
function subjectOf(operation: Operation, root: string): Subject {
  const { id, method, path, parameters, body } = operation
  const writes = method !== 'GET'
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const callers = callersOf(path, writes)
  const isAtomic = path === '/operations'
  const ids = idsOf(path, writes)
  return {
    name: id,
    writes,
    seeds: isAtomic
      ? pairsOfOperations
      : body
        ? largeBodies(body.schema)
        : [...includedPaths(inQuery), ...goodPairs(inQuery)],
    genes: [
      { name: 'caller', most: callers.length - 1 },
      ...(path.includes('{id}') ? [{ name: 'id', most: ids.length - 1 }] : []),
      ...(writes
        ? [{ name: 'state', most: 1 }]
        : [
            { name: 'head', most: 1 },
            { name: 'turns', most: 2 },
          ]),
      ...queryGenes(inQuery),
      ...(isAtomic ? operationsGenes : body ? bodyGenes(body.schema) : []),
    ],
    render: (genome): Candidate => ({
      caller: callers[genome.caller ?? 0] ?? 'reader',
      method: genome.head === 1 ? 'HEAD' : method,
      path: [root, ...pathOf(path, ids[genome.id ?? 0] ?? []), ...queryOf(inQuery, genome)],
      headers: headersOf({}, body !== undefined, isAtomic ? atomicType : undefined),
      ...(body && {
        body: isAtomic ? operationsBody(genome) : bodyOf(body.schema, method, genome),
      }),
      state: genome.state === 1 ? 'full' : 'bare',
      turns: genome.turns ?? 0,
    }),
  }
}

/** Nobody who owns a part of the world may write there: it must stay as it is. */
function callersOf(path: string, writes: boolean): readonly (keyof typeof goodCallers)[] {
  return writes
    ? ['writer', ...(path.includes('{id}') ? [] : (['attacker'] as const)), 'weak', 'client']
    : ['attacker', 'reader', 'weak', 'client']
}

/** Whose resource a path names: first the one that costs most, or the one that writes are tried on. */
function idsOf(path: string, writes: boolean): Text[] {
  const odd: Text[] = [
    ['nobody'],
    repeated('x', 64),
    repeated('x', 15_000),
    repeated('%C3%A9', 60),
    ['%00'],
  ]
  return path.startsWith('/countries')
    ? [['ZW'], ['NO'], ...odd]
    : writes
      ? [[standing], [idOf(groups.hubs.from)], ...odd]
      : [
          [idOf(groups.hubs.from)],
          [idOf(groups.far.from)],
          [idOf(groups.pool.from + 1_500)],
          ...odd,
        ]
}

function pathOf(path: string, id: Text): Text {
  const [start = '', end] = path.split('{id}')
  return end === undefined ? [start] : [start, ...id, end]
}

/** Any operation with any headers; who asks with a wrong token has it charged to the address, and D1 must not be asked. */
function anySubject(
  name: string,
  subjects: readonly Subject[],
  callers: readonly string[],
): Subject {
  const genes = new Map(
    subjects.flatMap((subject) => subject.genes.map((gene) => [gene.name, gene])),
  )
  genes.delete('caller')
  return {
    name,
    writes: false,
    seeds: [],
    genes: [
      { name: 'token', most: callers.length - 1 },
      { name: 'operation', most: subjects.length - 1 },
      ...headerGenes,
      ...genes.values(),
    ],
    render(genome) {
      const subject = subjects[genome.operation ?? 0]
      if (!subject) {
        throw new Error(`There is no operation ${genome.operation}`)
      }
      const { headers, ...candidate } = subject.render(genome)
      const type = expanded(headers[0]?.[1] ?? [])
      return {
        ...candidate,
        headers: headersOf(genome, candidate.body !== undefined, type),
        caller: callers[genome.token ?? 0] ?? '',
        turns: 0,
      }
    },
  }
}

/** What costs no token: pages about the service, paths and methods that there are not, and what is not acceptable. */
function freeSubject(root: string): Subject {
  const paths: Text[] = [
    ['/nothing'],
    ['/health'],
    ['/'],
    [`${root}/oas`],
    [`${root}/oas?format=yaml`],
    [`${root}/oas?version=3.1`],
    [`${root}/docs`],
    [`${root}/docs/docs.css`],
    [`${root}/docs/nothing`],
    [`/.well-known/oauth-protected-resource${root}`],
    ['/.well-known/api-catalog'],
    [`${root}/users`],
    [`${root}/users/1`],
    [`${root}/users/1/relationships/relatives`],
    [`${root}/users/1/relationships/nothing`],
    [`${root}/dogs`],
  ]
  const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PROPFIND', 'POST', 'DELETE']
  const ends = ['/', '/a', '%2F', '%', 'x', '?', '?a&', '%C3%A9', '..%2F', '//']
  return {
    name: 'without a price',
    writes: false,
    seeds: [],
    genes: [
      { name: 'path', most: paths.length - 1 },
      { name: 'method', most: methods.length - 1 },
      { name: 'end', most: ends.length },
      { name: 'length of the end', most: 16_000 },
      ...headerGenes,
    ],
    render(genome) {
      const end = ends[(genome.end ?? 0) - 1]
      const count =
        end === undefined ? 0 : Math.floor((genome['length of the end'] ?? 0) / end.length)
      return {
        caller: 'no credential',
        method: methods[genome.method ?? 0] ?? 'GET',
        path: [...(paths[genome.path ?? 0] ?? []), ...repeated(end ?? '', count)],
        headers: headersOf(genome, false),
        state: 'bare',
        turns: 0,
      }
    },
  }
}
