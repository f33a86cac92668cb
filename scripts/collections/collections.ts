import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { brunoFiles } from './bruno.ts'
import { httpEnvironments, httpFile } from './http-file.ts'
import { runCollections } from './run.ts'

const help = `Writes the tour as collections that other programs send: clients/bruno for Bruno, clients/tour.http for editors.

  npm run collections
  npm run collections -- --run

  --run   writes nothing, but sends both to the service that npm start runs, with Bruno's own command and with httpYac
`

await runCommand(async () => {
  const { run = false } = readArguments({
    name: 'collections',
    help,
    options: { run: { type: 'boolean' } },
  })
  if (run) {
    await runCollections()
    return
  }
  const clients = join(paths.root, 'clients')
  await rm(join(clients, 'bruno'), { recursive: true, force: true })
  for (const [path, text] of brunoFiles()) {
    const file = join(clients, 'bruno', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  await writeFile(join(clients, 'tour.http'), httpFile())
  await writeFile(join(clients, 'http-client.env.json'), httpEnvironments())
  console.log('clients/bruno and clients/tour.http are written.')
})
