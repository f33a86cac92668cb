import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readScopes } from '../../../scripts/lib/config.ts'
import { clientToken, person } from '../../support/service.ts'
import { openStage, ownerOfUnchanged } from '../description/examples/record.ts'
import { pictureOf, scenes } from './picture.ts'

const run = promisify(execFile)
const file = join(import.meta.dirname, '../../../docs/images/terminal.svg')

/** Plays the scenes in a shell, on a service of demo people that nobody has changed. */
async function play() {
  const { usual } = await openStage()
  await ownerOfUnchanged(usual)
  const variables = {
    api: `${usual.origin}/jsonapi`,
    john: await person('1', readScopes),
    jane: await person('2', readScopes),
    machine: await clientToken(),
  }
  const env = { ...process.env, ...variables }
  return Promise.all(
    scenes.map(async (scene) => ({
      ...scene,
      answer: (await run('sh', ['-c', scene.command], { env })).stdout,
    })),
  )
}

it('The terminal in the README shows what its commands print: the card to its owner, the name to persons, neither to a machine', async () => {
  const picture = pictureOf(await play())
  if (process.env.SCREENSHOTS) {
    await writeFile(file, picture)
  }

  expect(picture.match(/"creditCardNumber"/g)).toHaveLength(1)
  expect(picture).toBe(await readFile(file, 'utf8'))
}, 120_000)
