/** Pieces of the yardstick. */
const pieces = 1_000

/** A Worker that does nothing. What it takes to load is taken off all others. */
export const empty = `
import { DurableObject } from 'cloudflare:workers'
export class TokenBucket extends DurableObject {}
export default { fetch: () => new Response(null, { status: 204 }) }
`

/**
 * A Worker whose loading is a fixed piece of work of the same kind as that of a bundle: code that is compiled and runs once.
 * Times of loading are told as multiples of it, because those of one machine double from hour to hour.
 */
export const yardstick = `${empty}
const made = []
${Array.from({ length: pieces }, (_, piece) => pieceOf(piece)).join('\n')}
if (made.length !== ${pieces}) throw new Error('A piece is missing')
`

function pieceOf(piece: number): string {
  return `const make${piece} = (text, number) => {
  const object = { name: text + '-${piece}', number, list: [number, ${piece}], of: () => object.list.length + number }
  return Object.keys(object).length + object.of() > ${piece} ? object : { ...object, name: object.name.toUpperCase() }
}
made.push(make${piece}('piece', ${piece % 7}))`
}
