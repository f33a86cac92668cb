import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand, startCheckout, startFile } from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'

let checkout: Awaited<ReturnType<typeof startCheckout>>
beforeAll(async () => {
  checkout = await startCheckout()
})
afterAll(() => checkout.stop())

/** Environment of a command that is to use other ports than the running service. */
async function otherPorts() {
  const [port, authPort] = await freePorts()
  return { PORT: String(port), AUTH_PORT: String(authPort) }
}

const refusal =
  /^npm start is running in this folder \(process \d+\): end it first, with Ctrl-C where it runs\.\n$/

describe('npm start', () => {
  it('tells what it is about before it does it, and nothing else before its banner: no warning, no log line', () => {
    const banner = checkout.said.findIndex((line) => line.startsWith('Service '))
    expect(checkout.said.slice(0, banner)).toEqual([
      'Bringing the database up to date; the first time takes some seconds',
      'Starting the authorization server',
      'Building and starting the service',
      '',
    ])
  })

  it('has no colour where its output is no terminal, where an edit does not compile, either', async () => {
    const file = join(checkout.folder, 'src', 'worker.ts')
    const text = await readFile(file, 'utf8')
    await writeFile(file, `${text}\nconst = 1\n`)
    const patience = { timeout: 50_000, interval: 200 }
    await vi.waitFor(() => expect(checkout.said.join('\n')).toContain('ERROR'), patience)
    await writeFile(file, text)
    await vi.waitFor(
      async () => expect((await fetch(`${checkout.service}/health`)).status).toBe(200),
      patience,
    )
    expect(checkout.said.filter((line) => line.includes('\u001b'))).toEqual([])
  })

  it('prints addresses that open, each of them', async () => {
    const lines = checkout.said.flatMap((line) => {
      const [, url] = /(http:[^\s'"]+)/.exec(line) ?? []
      const [, authorization] = /'Authorization: ([^']+)'/.exec(line) ?? []
      return url === undefined ? [] : [{ url, authorization }]
    })
    expect(lines.length).toBeGreaterThanOrEqual(7)
    expect(lines.filter(({ authorization }) => authorization !== undefined)).toHaveLength(2)
    for (const { url, authorization } of lines) {
      const headers = authorization === undefined ? {} : { Authorization: authorization }
      expect({ url, status: (await fetch(url, { headers })).status }).toEqual({ url, status: 200 })
    }
  })

  it('gives tokens that last an hour', () => {
    const tokens = checkout.said.join('\n').match(/(?<=Bearer )[\w-]+\.[\w-]+\.[\w-]+/g) ?? []
    expect(tokens).toHaveLength(2)
    for (const { iat = 0, exp = 0 } of tokens.map((token) => decodeJwt(token))) {
      expect(exp - iat).toBe(3600)
    }
  })

  it('is refused a second time in the same folder, whatever its ports, with one line', async () => {
    const ports = await otherPorts()
    const { code, stdout, stderr } = await runCommand(checkout.folder, startFile, [], ports)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(refusal)
    expect((await fetch(`${checkout.service}/health`)).status).toBe(200)
  })
})

describe('npm run reset', () => {
  it('is refused beside a running service, whatever the ports, and leaves its state alone', async () => {
    const reset = 'scripts/start/reset.ts'
    const ports = await otherPorts()
    const { code, stdout, stderr } = await runCommand(checkout.folder, reset, [], ports)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(refusal)
    expect(existsSync(join(checkout.folder, '.wrangler', 'state'))).toBe(true)
    expect((await fetch(`${checkout.service}/health`)).status).toBe(200)
  })
})

describe('Beside a running service', () => {
  it('a person can be exported', async () => {
    const args = ['--subject', '2']
    const answer = await runCommand(checkout.folder, 'scripts/operate/person.ts', args)
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(answer.stdout).owned.users[0].full_name).toBe('Jane Doe')
    expect((await fetch(`${checkout.service}/health`)).status).toBe(200)
  })
})
