import type { Baseline } from './baseline.ts'
import { linePerCall } from './line-per-call.ts'
import { maskedAndNewest } from './masked-and-newest.ts'
import { newest } from './newest.ts'
import { randomLines } from './random-lines.ts'
import { usersAndNewest } from './users-and-newest.ts'
import { wordList } from './word-list.ts'

/** Every baseline, in the order in which they are shown. */
export const baselines: readonly Baseline[] = [
  newest,
  usersAndNewest,
  maskedAndNewest,
  linePerCall,
  randomLines,
  wordList,
]
