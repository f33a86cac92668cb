import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../../scripts/lib/config.ts'

describe('the configuration of the local service', () => {
  it('is 127.0.0.1, the Worker on 8787 and the authorization server on 9400, unless told otherwise', () => {
    expect(readConfig({})).toEqual({
      port: 8787,
      authPort: 9400,
      origin: 'http://127.0.0.1:8787',
      issuer: 'http://127.0.0.1:9400',
    })
  })

  it.each(['0', '65536', '-1', '8787.5', 'http'])('takes no port %s', (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(PORT)
  })

  it('has two ports that differ', () => {
    expect(() => readConfig({ PORT: '9400', AUTH_PORT: '9400' })).toThrow('must differ')
  })
})
