import { type Alert, type OutsideAlert, shareOf } from './alert.ts'
import { burnAlerts, fastMs, objectives } from './objectives.ts'
import { lines, linesOf, sumOf } from './query.ts'
import { failed, refused, requests } from './requests.ts'

const probes = lines('answers of `/health`', ['request'], ['operation', '=', 'health'])

/**
 * Requests that the limiter let through. It slows down addresses that send refused tokens: their 429s must not hide that
 * nobody gets in.
 */
const admitted = linesOf(requests, 'requests without a 429', ['status', '!=', 429])

/** The alerts on lines of the log. Each is a query, a row in docs/operations.md, a rule and a panel. */
export const alerts: readonly Alert[] = [
  {
    name: 'Unhealthy',
    figure: shareOf(probes, 'answers of `/health` with a 5xx', ['status', '>=', 500]),
    minutes: [2],
    bound: { above: 0.5 },
    atLeast: 2,
    wakes: true,
    first: 'read the body of `/health`, and the `cause` of `unhealthy` lines',
  },
  {
    name: 'Failing',
    figure: { kind: 'share', of: failed, among: requests },
    minutes: [5],
    bound: { above: 0.01 },
    atLeast: 5,
    wakes: true,
    first: 'the `cause` of `failure` lines; roll back if a deployment is recent',
  },
  {
    name: 'Configuration',
    figure: {
      kind: 'number',
      of: lines(
        '`unhealthy` lines about the configuration',
        ['unhealthy'],
        ['dependency', '=', 'configuration'],
      ),
    },
    minutes: [5],
    bound: { above: 0 },
    wakes: true,
    first: 'roll back',
  },
  {
    name: 'Nobody gets in',
    figure: shareOf(admitted, 'requests that end in a 401', ['status', '=', 401]),
    minutes: [5],
    bound: { above: 0.5 },
    atLeast: 20,
    wakes: true,
    first: 'issuer, audience, key set',
  },
  {
    name: 'Overloaded',
    figure: {
      kind: 'number',
      of: lines(
        'failures whose `cause` has "overloaded"',
        ['failure', 'unhealthy', 'old keys not removed'],
        ['cause', 'contains', 'overloaded'],
      ),
    },
    minutes: [5],
    bound: { above: 0 },
    wakes: true,
    first: 'find the heaviest operation; lower the rate limit if a caller is behind it',
  },
  ...objectives.flatMap(burnAlerts),
  {
    name: 'Slow',
    figure: shareOf(requests, `requests of more than ${fastMs} ms`, ['ms', '>', fastMs]),
    minutes: [10],
    bound: { above: 0.01 },
    atLeast: 10,
    wakes: false,
    first: 'by `operation` and `rowsRead`; is a replica missing?',
  },
  {
    name: 'Limiter degraded',
    figure: { kind: 'number', of: lines('lines `limiter degraded`', ['limiter degraded']) },
    minutes: [5],
    bound: { above: 10 },
    wakes: false,
    first: '`/health`; the limit still holds in each isolate',
  },
  {
    name: 'Retries',
    figure: shareOf(requests, 'requests with `attempts` above 1', ['attempts', '>', 1]),
    minutes: [10],
    bound: { above: 0.01 },
    atLeast: 10,
    wakes: false,
    first: "Cloudflare's status page",
  },
  {
    name: 'Keys pile up',
    figure: { kind: 'number', of: lines('lines `old keys removed`', ['old keys removed']) },
    minutes: [60],
    bound: { below: 1 },
    wakes: false,
    first:
      "the Worker's list of scheduled runs (dashboard, Settings, Trigger Events); or lines do not arrive",
  },
  {
    name: 'Refusals',
    figure: { kind: 'different', of: refused, member: 'caller' },
    minutes: [10],
    bound: { above: 20 },
    wakes: false,
    first: 'limits too low, or an attack',
  },
  {
    name: 'Flood',
    figure: {
      kind: 'number',
      of: refused,
      and: sumOf('refusals that `untold` counts', ['request'], 'untold'),
    },
    minutes: [10],
    bound: { above: 100_000 },
    wakes: false,
    first:
      'who is it? Each refusal is a request that Cloudflare bills: block them before the Worker',
  },
  {
    name: 'Scans',
    figure: {
      kind: 'number',
      of: linesOf(requests, 'requests with `rowsRead` above 20,000', ['rowsRead', '>', 20_000]),
    },
    minutes: [10],
    bound: { above: 0 },
    wakes: false,
    first: 'deep offsets, or a missing index',
  },
  {
    name: 'Probing',
    figure: {
      kind: 'each',
      of: linesOf(requests, 'requests that end in a 403', ['status', '=', 403]),
      member: 'caller',
    },
    minutes: [10],
    bound: { above: 100 },
    wakes: false,
    first: 'who is it? The authorization server can tell',
  },
  {
    name: 'Undone',
    figure: {
      kind: 'each',
      of: linesOf(requests, 'requests with `undone`', ['undone', '>', 0]),
      member: 'caller',
    },
    minutes: [10],
    bound: { above: 300 },
    wakes: false,
    first: 'by `undoneMs`: what do these writes keep the database busy with? Who is it?',
  },
  {
    name: 'Filling up',
    figure: {
      kind: 'number',
      of: lines(
        'lines `old keys removed` with `bytes` above 7 of the 10 GB',
        ['old keys removed'],
        ['bytes', '>', 7e9],
      ),
    },
    minutes: [60],
    bound: { above: 0 },
    wakes: false,
    first: '[several databases](scaling.md#several-databases)',
  },
]

/** The alerts on what no line can tell: a Worker that is not reached writes none, and no line has a price. */
export const outsideAlerts: readonly OutsideAlert[] = [
  {
    name: 'Down',
    when: '`/health` from two places not 200 for 2 minutes: a prober, for instance Cloudflare Health Checks',
    wakes: true,
    first: 'read its body',
  },
  {
    name: 'Bill',
    when: "Cloudflare's budget alert, at twice the usual",
    wakes: false,
    first: '[costs](scaling.md#costs)',
  },
]
