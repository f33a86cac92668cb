import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { articles } from './articles.ts'
import { folders } from './folders.ts'
import { people } from './people.ts'
import { tags } from './tags.ts'

/** A second domain on the same engine: the proof that the engine knows of none. */
export const registry = createRegistry([articles, people, tags, folders])
