import { lazy } from '../../lib/cache.ts'
import type { WriteOperation } from '../declare/operation.ts'
import type { Registry } from '../declare/registry.ts'
import { allows, type Principal } from '../declare/resource.ts'
import { copyOf, isObject } from '../json.ts'
import { enumerate, faultCodes, maxErrors, type Problem, ProblemList, quote } from '../problems.ts'
import {
  bodyReader,
  emptyPayload,
  identifiersOf,
  isResourceId,
  linkagesIn,
  maxIdentifiers,
  notAnId,
  reportIssue,
} from '../request/body.ts'
import { noPage } from '../request/query.ts'
import type { ValidRequest } from '../run/views.ts'
import { validateWith, valueAt } from '../zod.ts'
import {
  maxOperations,
  operationCodes,
  operationsMember,
  transactionBody,
  transactionVerbs,
  verbs,
  type WriteEndpoint,
  writesOf,
} from './extension.ts'
import { LocalIds } from './lids.ts'
import { addNoIdentity, findTarget, pointerIn, type SentOperation, type Target } from './target.ts'

/** An endpoint that an operation can stand for, and what reads its bodies. */
type Candidate = WriteEndpoint & { readonly readBody: () => ReturnType<typeof bodyReader> }

/** A valid operation of a transaction. */
export type TransactionOperation = ValidRequest<WriteOperation> & {
  /** Turns a problem of the operation into a problem of the transaction. */
  readonly place: (problem: Problem) => Problem
  /** How problems name resources. */
  readonly nameOf: ProblemList['nameOf']
}

/** The query of each operation: an answer shows all fields of an added resource. */
const query = { include: undefined, fields: new Map(), filter: {}, sort: [], page: noPage }

/**
 * Creates the reader of the bodies of transactions. Do so once: the reader keeps its schemas. It adds the problems of all operations, and
 * the operations that it returns are used only if there are none.
 *
 * @param root the root path, which each `href` begins with
 */
export function operationsReader(registry: Registry, root: string) {
  const writes = writesOf(registry).map((endpoint): Candidate => {
    return { ...endpoint, readBody: lazy(() => bodyReader(endpoint)) }
  })
  return (body: object, principal: Principal, problems: ProblemList): TransactionOperation[] => {
    validateWith(transactionBody(), body, (issue) => reportIssue(issue, problems, body))
    const lids = new LocalIds()
    const counts: number[] = []
    const all = valueAt(body, [operationsMember])
    const first: readonly unknown[] = Array.isArray(all) ? all.slice(0, maxOperations) : []
    const operations = first.flatMap((sent, index) => {
      // The schema has reported what is no object. After the last problem that is shown, nothing more is validated.
      if (!isObject(sent) || problems.kept.length === maxErrors) {
        return []
      }
      // The problems of the operation, with pointers below it.
      const found = new ProblemList(lids.nameOf)
      const target = findTarget(registry, root, sent, found)
      const write = target && writeOf(writes, target, sent, principal, found)
      if (target) {
        const linkages = linkagesIn({ data: sent.data }, target)
        counts.push(linkages.reduce((sum, { linkage }) => sum + identifiersOf(linkage), 0))
      }
      const place = placeBelow(`/${operationsMember}/${index}`, target)
      const operation = write && readOperation(sent, target, write, lids, found)
      problems.join({ omitted: found.omitted, kept: found.kept.map(place) })
      return operation ? [{ ...operation, principal, query, place, nameOf: lids.nameOf }] : []
    })
    // A single operation with too many identifiers has a problem of its own.
    const sum = counts.reduce((total, count) => total + count, 0)
    if (sum > maxIdentifiers && counts.every((count) => count <= maxIdentifiers)) {
      const detail = `The operations hold ${sum} identifiers together, and at most ${maxIdentifiers} are allowed.`
      problems.addProblem(detail, { pointer: `/${operationsMember}` })
    }
    return operations
  }
}

/**
 * Makes the function that turns a problem of an operation into a problem of the transaction.
 *
 * @param above the pointer to the operation
 */
function placeBelow(above: string, target: Target | undefined) {
  return (problem: Problem): Problem => {
    const { source = {} } = problem
    if ('pointer' in source) {
      return { ...problem, source: { pointer: above + source.pointer } }
    }
    return 'path' in source && target
      ? { ...problem, source: { pointer: above + pointerIn(target, 'id') } }
      : problem
  }
}

/** The write that an operation stands for; undefined if there is none. */
function writeOf(
  writes: readonly Candidate[],
  target: Target,
  { op, data }: SentOperation,
  principal: Principal,
  problems: ProblemList,
): Candidate | undefined {
  const { definition, relationship, declared, at, id } = target
  const verb = transactionVerbs.find((one) => one === op)
  if (!verb) {
    return undefined
  }
  const allowed = verbs[declared?.cardinality ?? 'resource']
  const name = allowed[verb]
  if (!name) {
    const detail = `${quote(verb)} is not one of: ${enumerate(Object.keys(allowed))}.`
    problems.addProblem(detail, { pointer: '/op' }, 'INVALID_ENUM_VALUE')
    return undefined
  }
  const write = writes.find(
    (one) =>
      one.definition === definition && one.relationship === relationship && one.operation === name,
  )
  if (!write) {
    const what = relationship === undefined ? definition.type : `${definition.type}.${relationship}`
    const detail = `${quote(verb)} is not implemented for ${what}.`
    problems.addProblem(detail, { pointer: pointerIn(target, 'type') }, operationCodes.undeclared)
    return undefined
  }
  if (!allows(write.rule.access, principal, 'maybe')) {
    const detail = 'The scopes of the token do not permit this operation.'
    problems.addProblem(detail, { pointer: '' }, faultCodes.forbidden)
  }
  if (name === 'create' && (at === '/ref' || (at === '/href' && id !== undefined))) {
    const advice =
      at === '/ref'
        ? 'Leave out ref, or send the path of its collection in href. To add members, send relationship in ref, too.'
        : 'Send the path of its collection in href, or leave href out. To add members, send the path of their relationship.'
    problems.addProblem(`A resource that is added has no id yet. ${advice}`, { pointer: at })
  }
  if (name === 'delete' && data !== undefined) {
    problems.addProblem('"data" is not allowed here: to remove a resource takes none.', {
      pointer: '/data',
    })
  }
  return write
}

/** The level at which the deepest identifiers stand in a resource object: in lists of its relationships. */
const identifierLevel = 5

/** Reads an operation as the request that it stands for; undefined if its target or its body is not valid. */
function readOperation(
  sent: SentOperation,
  target: Target,
  { readBody, ...endpoint }: Candidate,
  lids: LocalIds,
  problems: ProblemList,
) {
  const { definition, operation } = endpoint
  const isCreate = operation === 'create'
  const id = isCreate ? definition.operations.create?.newId() : idOf(target, lids, problems)
  // In a copy of the data, ids replace lids. Where no id is known, a new one stands, so that nothing further is reported.
  const data = operation === 'delete' ? undefined : copyOf(sent.data, identifierLevel)
  const identify = (one: unknown, at: string, other: string = crypto.randomUUID()): void => {
    if (isObject(one) && one.id === undefined) {
      const { type, lid } = one
      if (lid === undefined) {
        addNoIdentity(at, problems)
      }
      one.id = (typeof lid === 'string' && idOfLid(type, lid, at, lids, problems)) || other
    }
  }
  if (operation === 'update') {
    identify(data, '/data', id)
  }
  // Linkage of the wrong kind is reported as such by its schema. Of a list that is too long, only the items up to the bound are checked.
  for (const { declared, linkage, pointer } of linkagesIn({ data }, endpoint)) {
    const isMany = declared.cardinality === 'many'
    const named = isMany === Array.isArray(linkage) ? [linkage].flat() : []
    for (const [index, one] of named.slice(0, maxIdentifiers).entries()) {
      identify(one, isMany ? `${pointer}/${index}` : pointer)
    }
  }
  const payload =
    operation === 'delete'
      ? emptyPayload
      : readBody()({ data }, isCreate ? undefined : id, problems)
  // The lid is added after the linkage is resolved, so that a resource cannot refer to itself by it.
  const lid = valueAt(data, ['lid'])
  const isNew = isCreate && id !== undefined && typeof lid === 'string'
  if (isNew && !lids.add(definition.type, lid, id)) {
    const detail = `An earlier operation has added a resource of type ${definition.type} with the lid ${quote(lid)}.`
    problems.addProblem(detail, { pointer: '/data/lid' }, operationCodes.usedLid)
  }
  return id === undefined || !payload ? undefined : { ...endpoint, id, payload }
}

/** The id of the resource that an earlier operation has added under a `lid`. Adds a problem if there is none. */
function idOfLid(type: unknown, lid: string, at: string, lids: LocalIds, problems: ProblemList) {
  const id = lids.idOf(type, lid)
  if (id === undefined) {
    const detail = `No earlier operation has added a resource of type ${quote(type)} with the lid ${quote(lid)}.`
    problems.addProblem(detail, { pointer: `${at}/lid` })
  }
  return id
}

/** The id of the resource that exists before the operation: the one that was sent, or that of its `lid`. */
function idOf(target: Target, lids: LocalIds, problems: ProblemList): string | undefined {
  const { definition, lid, id, at } = target
  if (typeof id === 'string') {
    if (isResourceId(id)) {
      return id
    }
    problems.addProblem(notAnId(id), { pointer: pointerIn(target, 'id') })
  } else if (id === undefined && typeof lid === 'string') {
    // With the rest of data, `readOperation` reports a lid that nobody has.
    return at === '/data'
      ? lids.idOf(definition.type, lid)
      : idOfLid(definition.type, lid, at, lids, problems)
  } else if (id === undefined && at === '/href') {
    const detail =
      'This operation needs the path of a resource or of a relationship, not that of a collection. Send such a path in href, or type and id in ref.'
    problems.addProblem(detail, { pointer: '/href' })
  }
  return undefined
}
