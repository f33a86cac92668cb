/** Combining marks of Latin, Greek and Cyrillic. In other scripts marks can be vowels. */
const accents = /[\u0300-\u036f]/g

/** Letters that Unicode does not decompose, each with the letters that it sorts as. */
const baseLetters: ReadonlyMap<string, string> = new Map(
  'ø o, ł l, đ d, ð d, þ th, æ ae, œ oe, ß ss, ı i, ħ h, ŧ t, ŋ n, ə e, ɛ e, ɔ o, ɓ b, ɗ d, ƙ k, ƴ y, ς σ'
    .split(', ')
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]),
)

/** How many characters of a text an order compares. */
const maxSortKeyLength = 128

/** The text that a text is sorted by: its base letters, without case and accents. */
export function sortKey(text: string): string {
  const folded = foldCase(text.normalize('NFKD').replace(accents, ''))
  const letters = Array.from(folded, (letter) => baseLetters.get(letter) ?? letter)
  return [...letters.join('')].slice(0, maxSortKeyLength).join('')
}

/** A text without case: the form in which unique values, and items of filters by them, are compared. */
export function foldCase(text: string): string {
  return text.toLowerCase()
}
