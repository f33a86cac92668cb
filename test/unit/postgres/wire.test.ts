import { once } from 'node:events'
import { TLSSocket } from 'node:tls'
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
  visitOn,
} from './fake-server.ts'

const select = { text: 'SELECT $1', values: ['é😀'] }
const insert = { text: 'INSERT', values: [null, 3] }

describe('a connection to PostgreSQL', () => {
  it('sends all statements in one go, and reads the rows of each, however the answers are cut', async () => {
    const answers = Buffer.concat([
      begun,
      notice,
      row('é😀', null, '', 'plain'),
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
            ['é😀', null, '', 'plain'],
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
  it('asks for it before anything else where the connection needs it', async () => {
    const parameters: string[] = []
    await using server = await fakeServer(
      async ({ receive, socket }) => {
        expect((await receive()).body).toEqual(int32(80_877_103))
        socket.write('S')
        socket.removeAllListeners('data')
        const encrypted = new TLSSocket(socket, {
          isServer: true,
          ciphers: 'aNULL:@SECLEVEL=0',
          maxVersion: 'TLSv1.2',
        })
        await once(encrypted, 'secure')
        const visit = visitOn(encrypted)
        parameters.push((await visit.receive()).body.toString())
        encrypted.write(Buffer.concat([accepted, ready]))
      },
      { sslmode: 'require' },
    )
    const wire = await openWire(server.origin)
    expect(server.faults).toEqual([])
    expect(parameters.join()).toContain('user\0service\0database\0users\0')
    await wire.close()
  })

  it('gives up where the server has none, or says more before it begins', async () => {
    for (const answer of ['N', 'SR\0\0\0\0']) {
      const visits: number[] = []
      await using server = await fakeServer(
        async ({ receive, socket }) => {
          visits.push((await receive()).body.length)
          socket.write(answer)
          visits.push((await receive()).body.length)
        },
        { sslmode: 'verify-full' },
      )
      await expect(openWire(server.origin)).rejects.toBeInstanceOf(NotConnected)
      // The name of the user was not sent.
      expect(visits).toEqual([4])
    }
  })
})
