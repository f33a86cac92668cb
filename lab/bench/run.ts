import { type Contender, prepareWorkers } from './contenders.ts'
import { costsOf, demandSameAnswers, sizesOf } from './costs.ts'
import { ratiosOf, short, spreadOf } from './figures.ts'
import { type Findings, figuresText } from './figures-report.ts'
import { allScopes, startIssuer } from './issuer.ts'
import { machine } from './machine.ts'
import { measure, type Running, type Sample } from './measure.ts'
import { options } from './options.ts'
import { peerContenders } from './peers.ts'
import { writeFigures } from './report.ts'
import { asker, type Kind, kinds, largeKinds, people } from './requests.ts'
import { scratchFolder } from './scratch.ts'

if (options.network) {
  await import('./network.ts')
  process.exit()
}
if (options.startup) {
  await import('./startup/startup.ts')
  process.exit()
}

const rounds = 7
const isWhole = options.only === undefined && options.beside === undefined
const all = [...kinds, ...largeKinds]
const asked = all.filter(
  ({ name }) =>
    options.only?.includes(name) ?? (isWhole || kinds.some((kind) => kind.name === name)),
)

const folder = scratchFolder()
const issuer = await startIssuer()
const running: Running[] = []
try {
  console.log(`Measured on ${machine()}.`)
  const token = await issuer.sign({ sub: asker.owner, scope: allScopes })
  const [service, floor, beside] = await prepareWorkers(folder, issuer, people, options.beside)
  const peers = beside ? [] : peerContenders(folder, issuer)
  const contenders = [service, floor, ...(beside ? [beside] : []), ...peers]

  const tapped = await start([service, floor], { tapped: true })
  const [one, other] = tapped.map(({ server }) => server.url)
  if (!one || !other) {
    throw new Error('The Workers did not start')
  }
  const costs = {
    service: await costsOf(one, all, token),
    floor: await costsOf(other, all, token),
  }
  await stop(tapped)

  running.push(...(await start(contenders)))
  const [first, second] = running.map(({ server }) => server.url)
  if (first && second) {
    await demandSameAnswers([first, second], all, token)
  }
  const sizes: Record<string, Record<string, number>> = {}
  for (const each of running) {
    sizes[each.contender.name] = await sizesOf(each, kinds, token)
  }
  const samples = await measure(running, { kinds: asked, token, rounds, onKind: say })
  await stop(running.splice(0))

  if (isWhole) {
    const findings: Findings = { machine: machine(), rounds, contenders, samples, costs, sizes }
    await writeFigures('figures', figuresText(findings))
  }
} finally {
  await stop(running)
  issuer.close()
}

async function start(contenders: readonly Contender[], how = {}): Promise<Running[]> {
  return Promise.all(
    contenders.map(async (contender) => ({ contender, server: await contender.start(how) })),
  )
}

async function stop(those: readonly Running[]): Promise<void> {
  await Promise.all(those.map(({ server }) => server.stop()))
}

/** One line for each kind, as soon as it is measured. */
function say({ name, title, goal }: Kind, samples: Readonly<Record<string, Sample>>): void {
  const { service, ...others } = samples
  const figures = Object.entries(others).map(([other, { cpu }]) => {
    const { median, least, most } = spreadOf(ratiosOf(service?.cpu ?? [], cpu))
    const spread = `${least.toFixed(2)}–${most.toFixed(2)}`
    return `${other} ${short(spreadOf(cpu).median)} µs, ratio ${median.toFixed(2)} (${spread})`
  })
  const own = short(spreadOf(service?.cpu ?? []).median)
  console.log(`(${name}) ${title}: ${own} µs; ${figures.join('; ')}; goal ${goal}`)
}
