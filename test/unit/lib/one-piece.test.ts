import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { onePiece } from '../../../src/lib/one-piece.ts'

describe('onePiece', () => {
  it('gives the same text, whatever it holds, surrogates that stand alone included', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (parts) => {
        const text = parts.join('\u{d800}')
        expect(onePiece(text)).toBe(text)
      }),
    )
  })

  it('gives a text that V8 holds as one piece, which the text before is not', () => {
    const module = JSON.stringify(new URL('../../../src/lib/one-piece.ts', import.meta.url).href)
    // Only a process that was started with the flag may ask V8 how it holds a text.
    const script = `
      import { onePiece } from ${module}
      const putTogether = () => 'x'.repeat(20) + Math.random() + '"links":'
      console.log(%StringIsFlat(putTogether()), %StringIsFlat(onePiece(putTogether())))`
    const options = ['--no-warnings', '--allow-natives-syntax', '--input-type=module', '-e', script]
    const said = execFileSync(process.execPath, options, { encoding: 'utf8' })
    expect(said.trim()).toBe('false true')
  })
})
