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

export { formsOf } from './artifacts.ts'
