import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readScopes } from '../../../scripts/lib/config.ts'
import { clientToken, person, serviceUrl } from '../../support/service.ts'

const picture = join(import.meta.dirname, '../../../docs/images/terminal.svg')

/** What the picture shows: each command, and the JSON below it. */
async function shown(): Promise<{ command: string; answer: unknown }[]> {
  const texts = (await readFile(picture, 'utf8')).matchAll(/<text class="(\w+)[^>]*>(.*)<\/text>/g)
  const scenes: { command: string; answer: string }[] = []
  for (const [, kind, text = ''] of texts) {
    if (kind === 'command') {
      scenes.push({ command: text.replace('$ ', ''), answer: '' })
    }
    const scene = scenes.at(-1)
    if (kind === 'answer' && scene) {
      scene.answer += text
    }
  }
  return scenes.map(({ command, answer }) => ({ command, answer: JSON.parse(answer) }))
}

it('The terminal in the README shows what its commands print: the card to its owner, the name to persons, neither to a machine', async () => {
  const variables = {
    api: `${serviceUrl}/jsonapi`,
    john: await person('1', readScopes),
    jane: await person('2', readScopes),
    machine: await clientToken(),
  }
  const scenes = await shown()
  expect(JSON.stringify(scenes).match(/"creditCardNumber"/g)).toHaveLength(1)
  expect(scenes).toHaveLength(3)
  for (const { command, answer } of scenes) {
    const env = { ...process.env, ...variables }
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    expect(JSON.parse(stdout)).toEqual(answer)
  }
}, 120_000)
