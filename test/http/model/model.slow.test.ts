import { inject } from 'vitest'
import { testSequences } from './sequences.ts'

// On PostgreSQL each request connects anew, to a process of its own, which takes most of what a sequence does.
testSequences(inject('database') === 'D1' ? 150 : 20)
