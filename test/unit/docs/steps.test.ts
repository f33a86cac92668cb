import { describe, expect, it } from 'vitest'
import { changed, linesAdded, stepsOf } from './steps.ts'

describe('a guide as a test reads it', () => {
  it('is its blocks in their order, each with its section', () => {
    const guide = [
      '## One',
      '',
      '**a.ts**, a new file:',
      '',
      '```ts',
      'a()',
      '```',
      '',
      '## Two',
      '',
      '**a.ts**',
      '',
      '```diff',
      ' a()',
      '+b()',
      '```',
      '',
      '```sh',
      'ls',
      '```',
      '```json',
      '{}',
      '```',
      '',
    ].join('\n')
    expect(stepsOf(guide)).toEqual([
      { section: 'One', kind: 'file', path: 'a.ts', text: 'a()\n' },
      { section: 'Two', kind: 'change', path: 'a.ts', text: ' a()\n+b()\n' },
      { section: 'Two', kind: 'shell', text: 'ls\n' },
      { section: 'Two', kind: 'answer', text: '{}\n' },
    ])
  })

  it.each([
    ['code without the path of its file', '```ts\na()\n```\n'],
    ['a language that no test follows', '```ruby\na()\n```\n'],
    ['a block that is indented', '  ```sh\n  ls\n  ```\n'],
    ['a block that does not end', '```sh\nls\n'],
  ])('is refused for %s', (_, guide) => {
    expect(() => stepsOf(guide)).toThrow()
  })
})

describe('a change of a guide', () => {
  it('takes lines out and puts lines in, at each of its places', () => {
    const text = 'a\nb\nc\nd\n'
    expect(changed(text, ' a\n-b\n+B\n@@ further down\n+CD\n d\n')).toBe('a\nB\nc\nCD\nd\n')
  })

  it.each([
    ['is not in the file', ' x\n+y\n', '0 times'],
    ['is in the file twice', ' a\n+y\n', '2 times'],
    ['is only a part of a line', ' nd\n+y\n', '0 times'],
  ])('is refused where its place %s', (_, change, times) => {
    expect(() => changed('a\nb\na\nend\n', change)).toThrow(times)
  })

  it('counts lines that come in and hold more than blanks', () => {
    const step = { section: '', kind: 'change', path: 'a.ts', text: ' a\n+b\n+\n-c\n+d\n' } as const
    expect(linesAdded(step)).toBe(2)
  })
})
