/**
 * The public API of `@precis/core/actions`: what a call did outside files, the names of what it made,
 * and whether it failed.
 *
 * ```ts
 * import { formsOf, hasFailed } from '@precis/core/actions'
 *
 * const summary = 'The fix is in pull request #12.'
 * console.log(formsOf({ kind: 'artifact', text: 'pull request #12' }).some((form) => summary.includes(form)))
 * // A host may record the exit code without a mark. A search that ends with 1 has found nothing.
 * const ended = (exitCode: number) => ({ type: 'tool-result', callId: 'c1', output: [], isError: false, exitCode }) as const
 * const search = { type: 'tool-call', callId: 'c1', name: 'bash', input: { command: 'grep -rn TODO src' } } as const
 * console.log(hasFailed(ended(1), search), hasFailed(ended(2), search))
 * ```
 */

import { allOf, aPart, aText, checking, orNothing } from '../conversation/check-options.ts'
import * as artifacts from './artifacts.ts'
import * as outcome from './outcome.ts'

const ofFact = { fact: allOf({ kind: aText, text: aText }) }

export const formsOf = checking('Finding forms', ofFact, artifacts.formsOf)

const ofResult = { result: aPart, call: orNothing(aPart), workingDirectory: orNothing(aText) }

export const hasFailed = checking('Reading a result', ofResult, outcome.hasFailed)
