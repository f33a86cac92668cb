import { prepareWorkers } from '../contenders.ts'
import { startIssuer } from '../issuer.ts'
import { machine } from '../machine.ts'
import { options } from '../options.ts'
import { failWith, writeFigures } from '../report.ts'
import { asker, kinds, people, scopes } from '../requests.ts'
import { scratchFolder } from '../scratch.ts'
import { beyondGoals, countInstructions, instructionsText } from './instructions.ts'
import { demandValgrind } from './valgrind.ts'

// Counts instructions alone.

await demandValgrind()

const folder = scratchFolder()
const issuer = await startIssuer()
try {
  const { only } = options
  const asked = kinds.filter(({ name }) => only?.includes(name) ?? true)
  const token = await issuer.token(asker.owner, scopes)
  const [service, floor] = await prepareWorkers(folder, issuer, people)
  const counts = await countInstructions({ service, floor, kinds: asked, token, folder })
  const text = instructionsText(counts, asked)
  console.log(text)
  if (only === undefined) {
    await writeFigures('instructions', `Counted on ${machine()}.\n\n${text}`)
  }
  failWith(beyondGoals(counts, asked))
} finally {
  issuer.close()
}
