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
})
