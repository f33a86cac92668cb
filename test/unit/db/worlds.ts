import fc from 'fast-check'

/** A resource of a world: its links, by relationship. */
export interface Linked {
  readonly type: string
  readonly id: string
  readonly links: Readonly<Record<string, readonly string[]>>
}

/** Ids that resources of every type have in a world. */
export const worldIds: readonly string[] = ['1', '2', '3', '4', '5']

const some = fc.subarray([...worldIds])
const one = fc.subarray([...worldIds], { maxLength: 1 })

/** The to-many relationships of each type, and its to-one. */
const links = {
  articles: fc.record({ author: one, contributors: some, tags: some }),
  people: fc.record({ favourite: one, follows: some }),
  tags: fc.record({ neighbours: some }),
}

/** Five resources of each type of the second domain, with random relationships. */
export const worlds: fc.Arbitrary<readonly Linked[]> = fc
  .tuple(...Object.values(links).map((each) => fc.tuple(...worldIds.map(() => each))))
  .map((types) =>
    types.flatMap((resources, index) => {
      const type = Object.keys(links)[index] ?? ''
      return resources.map((links, number) => ({ type, id: worldIds[number] ?? '', links }))
    }),
  )

/** Include paths of articles, of every depth. */
export const includes: fc.Arbitrary<readonly string[]> = fc.subarray(
  [
    'author',
    'contributors',
    'tags',
    'author.follows',
    'author.favourite',
    'author.follows.follows',
    'contributors.favourite.neighbours',
    'contributors.follows.favourite',
    'tags.neighbours.neighbours',
  ],
  { minLength: 1 },
)
