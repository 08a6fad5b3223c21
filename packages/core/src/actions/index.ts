/**
 * The public API of `@precis/core/actions`: what a call did outside files, and the names of what it
 * made.
 *
 * ```ts
 * import { formsOf } from '@precis/core/actions'
 *
 * const summary = 'The fix is in pull request #12.'
 * console.log(formsOf({ kind: 'artifact', text: 'pull request #12' }).some((form) => summary.includes(form)))
 * ```
 */

import { allOf, aText, checking } from '../conversation/check-options.ts'
import * as artifacts from './artifacts.ts'

const ofFact = { fact: allOf({ kind: aText, text: aText }) }

export const formsOf = checking('Finding forms', ofFact, artifacts.formsOf)
