/** The public API of `@precis/core/digest`: the summarizer that needs no model. */

export { digest } from './digest.ts'
