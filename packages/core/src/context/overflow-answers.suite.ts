import { readFileSync } from 'node:fs'
import type { Overflow } from './find-overflow.ts'

/** A real answer of a provider or server, and where it was reported. */
export interface OverflowAnswer {
  readonly provider: string
  readonly status?: number
  /** The body as it came, parsed when it was JSON. */
  readonly body: unknown
  readonly expected?: Overflow
  readonly source: string
}

const lines = readFileSync(new URL('overflow-answers.jsonl', import.meta.url), 'utf8')
const answers: readonly OverflowAnswer[] = lines
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

export const overflowAnswers = answers.filter(({ expected }) => expected)

/** Answers that look alike and are something else. */
export const otherAnswers = answers.filter(({ expected }) => !expected)
