import { createCardKeys, prepareWorkers, varsFor } from '../contenders.ts'
import { startIssuer } from '../issuer.ts'
import { machine } from '../machine.ts'
import { options } from '../options.ts'
import { writeFigures } from '../report.ts'
import { asker, people, scopes } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'
import { startUpText } from './startup.ts'

// Measures alone what it takes to start the Worker.

const folder = scratchFolder()
const issuer = await startIssuer()
try {
  console.log(`Measured on ${machine()}.`)
  const [service, floor] = await prepareWorkers(folder, issuer, people)
  const { beside } = options
  const vars = varsFor(issuer, createCardKeys())
  const token = await issuer.sign({ sub: asker.owner, scope: scopes })
  const text = await startUpText({ service, floor, beside, vars, token, folder })
  console.log(text)
  if (beside === undefined) {
    await writeFigures('start-up', `Measured on ${machine()}.\n\n${text}`)
  }
} finally {
  issuer.close()
}
