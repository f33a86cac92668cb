import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { inPrivateFolder } from '../../../../scripts/lib/private-file.ts'

const prefix = join(tmpdir(), 'private-')
const file = join(import.meta.dirname, '../../../../scripts/lib/private-file.ts')

it('a private folder is gone when the work in it has failed', async () => {
  let made = ''
  const work = inPrivateFolder(prefix, async (folder) => {
    made = folder
    expect(existsSync(folder)).toBe(true)
    throw new Error('failed')
  })
  await expect(work).rejects.toThrow('failed')
  expect(existsSync(made)).toBe(false)
})

it('a private folder is gone when the process exits meanwhile', async () => {
  const program = `import { inPrivateFolder } from ${JSON.stringify(file)}
    await inPrivateFolder(${JSON.stringify(prefix)}, async (folder) => {
      console.log(folder)
      process.exit()
    })`
  const command = spawn(process.execPath, ['--input-type=module', '-e', program])
  const [folder] = await once(createInterface(command.stdout), 'line')
  await once(command, 'close')
  expect(folder).toContain(prefix)
  expect(existsSync(folder)).toBe(false)
})
