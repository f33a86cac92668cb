import { testSequences } from './sequences.ts'

testSequences(50)
