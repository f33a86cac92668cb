import { testSequences } from './sequences.ts'

testSequences(6)
