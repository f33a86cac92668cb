import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { describe as told } from '../../../src/http/log.ts'
import { NotConnected } from '../../../src/postgres/errors.ts'
import { openWire } from '../../../src/postgres/wire.ts'
import { freePort } from '../../support/ports.ts'
import {
  accepted,
  begun,
  complete,
  failure,
  fakeServer,
  int32,
  message,
  notice,
  ready,
  row,
  scramServer,
} from './fake-server.ts'

const select = { text: 'SELECT $1', values: ['é😀'] }
const insert = { text: 'INSERT', values: [null, 3] }

describe('a connection to PostgreSQL', () => {
  it('sends all statements in one go, and reads the rows of each, however the answers are cut', async () => {
    const answers = Buffer.concat([
      begun,
      notice,
      row('é😀', null, '', '\ufeffplain'),
      row('x'.repeat(300), '1'),
      complete('SELECT 2'),
      message('A', int32(1), 'channel\0text\0'),
      begun,
      complete('INSERT 0 3'),
      message('S', 'TimeZone\0UTC\0'),
      ready,
    ])
    for (const size of [1, 2, 3, 7, 64, answers.length]) {
      const seen: string[] = []
      await using server = await fakeServer(async (visit) => {
        await visit.welcome()
        seen.push(await visit.untilSync())
        for (let at = 0; at < answers.length; at += size) {
          visit.socket.write(answers.subarray(at, at + size))
          await new Promise(setImmediate)
        }
        seen.push((await visit.receive()).type)
      })
      const wire = await openWire(server.origin)
      expect(await wire.run([select, insert])).toEqual([
        {
          rows: [
            ['é😀', null, '', '\ufeffplain'],
            ['x'.repeat(300), '1'],
          ],
          written: 0,
        },
        { rows: [], written: 3 },
      ])
      await wire.close()
      await vi.waitFor(() => expect(seen).toEqual(['PBEPBES', 'X']))
      expect(server.faults).toEqual([])
    }
  })

  it('reads messages that come in two parts, wherever they are cut, and several answers in one part', async () => {
    const answers = Buffer.concat([
      begun,
      row('é', null),
      notice,
      complete('SELECT 1'),
      message('S', 'TimeZone\0UTC\0'),
      ready,
      begun,
      failure('23505', 'duplicate key'),
      ready,
    ])
    await using server = await fakeServer(async (visit) => {
      await visit.welcome()
      for (let cut = 0; cut < answers.length; cut++) {
        await visit.untilSync()
        await visit.untilSync()
        visit.socket.write(answers.subarray(0, cut))
        await new Promise(setImmediate)
        visit.socket.write(answers.subarray(cut))
      }
    })
    const wire = await openWire(server.origin)
    for (let cut = 0; cut < answers.length; cut++) {
      const [first, second] = await Promise.allSettled([wire.run([select]), wire.run([insert])])
      expect(first).toEqual({ status: 'fulfilled', value: [{ rows: [['é', null]], written: 0 }] })
      expect(second).toMatchObject({ status: 'rejected', reason: { code: '23505' } })
    }
    await wire.close()
    expect(server.faults).toEqual([])
  })

  it('is set up however the messages of the server are cut, among notices and parameters', async () => {
    const greeting = Buffer.concat([
      message('v', int32(196_608), int32(0)),
      accepted,
      notice,
      message('S', 'server_version\x018\0'),
      message('K', int32(1), int32(2)),
      ready,
    ])
    for (const size of [1, 4, greeting.length]) {
      await using server = await fakeServer(async ({ receive, socket }) => {
        await receive()
        for (let at = 0; at < greeting.length; at += size) {
          socket.write(greeting.subarray(at, at + size))
          await new Promise(setImmediate)
        }
      })
      const wire = await openWire(server.origin)
      expect(wire.isOpen()).toBe(true)
      await wire.close()
      expect(server.faults).toEqual([])
    }
  })

  it('binds values of any length, and null', async () => {
    const texts = ['', 'short', 'ü'.repeat(5_000), '😀'.repeat(20_000)]
    const bodies: Buffer[] = []
    await using server = await fakeServer(async (visit) => {
      await visit.welcome()
      for (let at = 0; at < 3; at++) {
        bodies.push((await visit.receive()).body)
      }
      visit.socket.write(Buffer.concat([begun, complete('SELECT 0'), ready]))
    })
    const wire = await openWire(server.origin)
    await wire.run([{ text: 'SELECT', values: [...texts, null, 5] }])
    expect(bodies[0]?.toString()).toBe('\0SELECT\0\0\0')
    expect(bodies[1]).toEqual(
      Buffer.concat([
        Buffer.from([0, 0, 0, 0, 0, 6]),
        ...texts.map((text) => Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)])),
        int32(-1),
        int32(1),
        Buffer.from('5\0\0'),
      ]),
    )
    await wire.close()
  })

  it('fails with the first error between the answers of statements, and runs the next ones', async () => {
    await using server = await fakeServer(async (visit) => {
      await visit.welcome()
      await visit.untilSync()
      visit.socket.write(
        Buffer.concat([
          begun,
          row('1'),
          complete('SELECT 1'),
          failure('23505', 'duplicate key value violates unique constraint "users_email"'),
          ready,
        ]),
      )
      await visit.untilSync()
      visit.socket.write(Buffer.concat([begun, row('2'), complete('SELECT 1'), ready]))
    })
    const wire = await openWire(server.origin)
    const error = await wire.run([select, insert]).catch((reason) => reason)
    expect(error).toMatchObject({ name: 'ServerError', code: '23505' })
    // What the server tells apart, as details, may be personal data.
    expect(told(error)).not.toContain('kari@example.com')
    expect(wire.isOpen()).toBe(true)
    expect(await wire.run([select])).toMatchObject([{ rows: [['2']] }])
  })

  it('fails where the last statement of a transaction does: its COMMIT', async () => {
    await using server = await fakeServer(async (visit) => {
      await visit.welcome()
      await visit.untilSync()
      visit.socket.write(
        Buffer.concat([
          begun,
          complete('BEGIN'),
          begun,
          complete('INSERT 0 1'),
          message('1'),
          message('2'),
          failure('40001', 'could not serialize access'),
          ready,
        ]),
      )
    })
    const wire = await openWire(server.origin)
    await expect(wire.run([select, insert, select])).rejects.toMatchObject({ code: '40001' })
  })

  it('takes further runs before the earlier ones are answered, in their order', async () => {
    await using server = await fakeServer(async (visit) => {
      await visit.welcome()
      await visit.untilSync()
      await visit.untilSync()
      visit.socket.write(Buffer.concat([failure('22012', 'division by zero'), ready]))
      visit.socket.write(Buffer.concat([begun, row('2'), complete('SELECT 1'), ready]))
    })
    const wire = await openWire(server.origin)
    const [first, second] = await Promise.allSettled([wire.run([select]), wire.run([select])])
    expect(first).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: [{ rows: [['2']] }] })
  })

  it('fails where the server closes the connection, with the reason if it has told one', async () => {
    const reason = failure('57P01', 'terminating connection due to administrator command')
    for (const [last, expected] of [
      [Buffer.alloc(0), { name: 'LostConnection' }],
      [Buffer.concat([begun, row('1')]).subarray(0, -1), { name: 'LostConnection' }],
      [reason, { name: 'ServerError', code: '57P01' }],
    ] as const) {
      await using server = await fakeServer(async (visit) => {
        await visit.welcome()
        await visit.untilSync()
        visit.socket.end(last)
      })
      const wire = await openWire(server.origin)
      await expect(wire.run([select])).rejects.toMatchObject(expected)
      expect(wire.isOpen()).toBe(false)
      await expect(wire.run([select])).rejects.toThrow()
      await wire.close()
    }
  })

  it('fails where something else than PostgreSQL answers', async () => {
    for (const bytes of [
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      message('G', 'copy'),
      message('R').fill(0, 1),
    ]) {
      await using server = await fakeServer(async (visit) => {
        await visit.welcome()
        await visit.untilSync()
        visit.socket.write(bytes)
      })
      const wire = await openWire(server.origin)
      const lost = await wire.run([select]).catch((reason) => reason)
      expect(lost.name).toBe('LostConnection')
      expect(told(lost)).toMatch(/The server sends/)
      expect(wire.isOpen()).toBe(false)
    }
  })

  it('says that there is no connection where nobody listens, or the server refuses', async () => {
    await using full = await fakeServer(async (visit) => {
      await visit.receive()
      visit.socket.end(failure('53300', 'sorry, too many clients already'))
    })
    const refused = await openWire(full.origin).catch((reason) => reason)
    expect(refused).toBeInstanceOf(NotConnected)
    expect(refused.cause).toMatchObject({ code: '53300' })
    const gone = { ...full.origin, port: await freePort() }
    await expect(openWire(gone)).rejects.toBeInstanceOf(NotConnected)
  })
})

describe('authentication', () => {
  /** A server that asks for SCRAM-SHA-256, and answers as it is told. */
  const asking = (
    password: string,
    change: (text: string, step: 'challenge' | 'outcome') => string = (text) => text,
    rounds?: number,
  ) =>
    fakeServer(async ({ receive, socket }) => {
      await receive()
      socket.write(message('R', int32(10), 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0'))
      const initial = (await receive()).body
      expect(initial.subarray(0, 14).toString()).toBe('SCRAM-SHA-256\0')
      const first = initial.subarray(18).toString()
      const scram = scramServer(password, rounds)
      const challenge = change(scram.challenge(first), 'challenge')
      socket.write(message('R', int32(11), challenge))
      const outcome = scram.outcome(first, challenge, (await receive()).body.toString())
      socket.write(
        outcome === undefined
          ? failure('28P01', 'password authentication failed for user "service"')
          : Buffer.concat([
              message('R', int32(12), change(outcome, 'outcome')),
              accepted,
              message('K', int32(1), int32(2)),
              ready,
            ]),
      )
    })

  it('shows the password by SCRAM-SHA-256', async () => {
    await using server = await asking('a secret of tests')
    await (await openWire(server.origin)).close()
    expect(server.faults).toEqual([])
  })

  it('gives up where the password is wrong, and tells it to nobody', async () => {
    await using server = await asking('another')
    const error = await openWire(server.origin).catch((reason) => reason)
    expect(error.cause).toMatchObject({ code: '28P01' })
    expect(told(error)).not.toMatch(/secret/)
  })

  it('gives up where the server answers another dialogue, or does not know the password', async () => {
    for (const [change, text] of [
      [(text: string) => text.replace('r=', 'r=x'), /another dialogue/],
      [(text: string) => text.replace(/r=[^,]*/, 'r='), /another dialogue/],
      [() => 'e=other-error', /another dialogue/],
      [(text: string) => text.replace(/i=\d+/, 'i=100001'), /100001 rounds/],
      [(text: string) => text.replace(/i=\d+/, 'i=0'), /0 rounds/],
    ] as const) {
      await using server = await asking('a secret of tests', (said, step) =>
        step === 'challenge' ? change(said) : said,
      )
      const error = await openWire(server.origin).catch((reason) => reason)
      expect(told(error)).toMatch(text)
    }
    await using impostor = await asking('a secret of tests', (said, step) =>
      step === 'outcome' ? 'v=AAAA' : said,
    )
    const error = await openWire(impostor.origin).catch((reason) => reason)
    expect(told(error)).toMatch(/has not shown that it knows the password/)
  })

  it('shows the password by MD5, salted', async () => {
    const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex')
    const { digest } = crypto.subtle
    using _ = vi
      .spyOn(crypto.subtle, 'digest')
      .mockImplementation(async (algorithm, data) =>
        algorithm === 'MD5'
          ? new Uint8Array(Buffer.from(md5(Buffer.from(data as Uint8Array)), 'hex')).buffer
          : digest.call(crypto.subtle, algorithm, data),
      )
    const salt = Buffer.from([1, 2, 255, 4])
    const shown: string[] = []
    await using server = await fakeServer(async ({ receive, socket }) => {
      await receive()
      socket.write(message('R', int32(5), salt))
      shown.push((await receive()).body.toString())
      socket.write(Buffer.concat([accepted, ready]))
    })
    await (await openWire(server.origin)).close()
    const inner = md5('a secret of testsservice')
    expect(shown).toEqual([`md5${md5(Buffer.concat([Buffer.from(inner), salt]))}\0`])
    expect(server.faults).toEqual([])
  })

  it('puts no password into an error, whatever goes wrong', async () => {
    const ways: Parameters<typeof fakeServer>[0][] = [
      async ({ socket }) => socket.destroy(),
      async ({ receive, socket }) => {
        await receive()
        socket.write(message('R', int32(3)))
        await receive()
        socket.end(failure('28P01', 'password authentication failed for user "service"'))
      },
      async ({ receive, socket }) => {
        await receive()
        socket.write(message('R', int32(10), 'SCRAM-SHA-256\0\0'))
        await receive()
        socket.write(message('R', int32(11), 'r=,s=,i=1'))
      },
      async ({ receive, socket }) => {
        await receive()
        socket.write(message('R', int32(7)))
      },
    ]
    for (const [way, sslmode] of [
      ...ways.map((one) => [one, 'disable'] as const),
      [ways[0], 'require'] as const,
    ]) {
      await using server = await fakeServer(way ?? (async () => {}), { sslmode })
      const error = await openWire(server.origin).catch((reason) => reason)
      expect(error).toBeInstanceOf(NotConnected)
      const all = [
        told(error),
        inspect(error, { depth: 20, showHidden: true }),
        JSON.stringify(error),
      ]
      expect(all.join()).not.toMatch(/a(?: |%20)secret/)
    }
  })

  it('sends the password where the server asks for it, and knows no further ways', async () => {
    await using plain = await fakeServer(async ({ receive, socket }) => {
      await receive()
      socket.write(message('R', int32(3)))
      expect((await receive()).body.toString()).toBe('a secret of tests\0')
      socket.write(Buffer.concat([accepted, ready]))
    })
    await (await openWire(plain.origin)).close()
    expect(plain.faults).toEqual([])
    for (const asked of [message('R', int32(7)), message('R', int32(10), 'OAUTHBEARER\0\0')]) {
      await using other = await fakeServer(async ({ receive, socket }) => {
        await receive()
        socket.write(asked)
      })
      await expect(openWire(other.origin)).rejects.toBeInstanceOf(NotConnected)
    }
  })
})

describe('encryption', () => {
  it('is none in a connection to Hyperdrive; where somebody asks for it, nothing is sent', async () => {
    for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full']) {
      let visits = 0
      await using server = await fakeServer(async () => visits++, { sslmode: mode })
      const error = await openWire(server.origin).catch((reason) => reason)
      expect(error).toBeInstanceOf(NotConnected)
      expect(told(error)).toContain(mode)
      expect(visits).toBe(0)
    }
  })
})
