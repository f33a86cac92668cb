import { preparePostgres, prepareWorkers } from './contenders.ts'
import { demandSameAnswers } from './costs.ts'
import { ratiosOf, short, spreadOf } from './figures.ts'
import { allScopes, startIssuer } from './issuer.ts'
import { machine } from './machine.ts'
import { connections, measure, type Running, type Sample } from './measure.ts'
import { table, writeFigures } from './report.ts'
import { asker, kinds, people } from './requests.ts'
import { scratchFolder } from './scratch.ts'

// Measures the service on PostgreSQL in turn with the service on D1: what workerd takes, what the server takes, and what callers wait.

const rounds = 5

const folder = scratchFolder()
const issuer = await startIssuer()
const running: Running[] = []
const [d1] = await prepareWorkers(folder, issuer, people)
const { contender: postgres, stop } = await preparePostgres(folder, issuer, people)
try {
  const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
  for (const contender of [d1, postgres]) {
    running.push({ contender, server: await contender.start() })
  }
  const [one, other] = running.map(({ server }) => server.url)
  await demandSameAnswers([one as URL, other as URL], kinds, token)
  const samples = await measure(running, { kinds, token, rounds })
  const rows = kinds.map(({ name, title }) => {
    const of = (contender: string) => samples[name]?.[contender] as Sample
    const [d1, postgres] = [of('service'), of('postgres')]
    const median = (values: readonly number[]) => short(spreadOf(values).median)
    const pair = (member: keyof Sample) => `${median(d1[member])} / ${median(postgres[member])}`
    const ratio = spreadOf(ratiosOf(postgres.cpu, d1.cpu))
    return [
      `(${name}) ${title}`,
      pair('cpu'),
      `**${ratio.median.toFixed(2)}** (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`,
      median(postgres.databaseCpu),
      ...(['perSecond', 'p50', 'p99'] as const).map(pair),
    ]
  })
  const head = [
    'D1 / PostgreSQL',
    'CPU µs',
    'Ratio',
    'CPU µs of PostgreSQL',
    'Requests/s',
    'p50 ms',
    'p99 ms',
  ]
  const text = `Measured on ${machine()}. ${rounds} rounds in turn, ${connections} connections; medians, and in brackets the least and the greatest ratio of all rounds.

${table(head, rows)}`
  console.log(text)
  await writeFigures('engines', text)
} finally {
  await Promise.all(running.map(({ server }) => server.stop()))
  await stop()
  issuer.close()
}
