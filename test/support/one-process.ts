import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Call, Ended } from './checkout.ts'

// Runs commands of the folder that it is started in one after the other, each as if this were its own process, and writes how each
// of them ended as JSON. Node.js loads a module once for all of them, which is what takes the time of a command.
const calls: readonly Call[] = JSON.parse(process.argv[2] ?? '[]')
const write = process.stdout.write.bind(process.stdout)
const environment = { ...process.env }
const exit = new Error('The command ends its process')
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode
  throw exit
}

const all: Ended[] = []
for (const [nth, { file, args = [], env = {} }] of calls.entries()) {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      written[name] += chunk
      return true
    }
  }
  process.argv = [process.execPath, file, ...args]
  process.env = { ...environment, ...env }
  process.exitCode = 0
  await import(`${pathToFileURL(resolve(file))}?${nth}`).catch((error) => {
    if (error !== exit) {
      throw error
    }
  })
  all.push({ code: Number(process.exitCode), ...written })
}
process.exitCode = 0
write(JSON.stringify(all))
