/** The public API of `@precis/core/digest`: the summarizer that needs no model. */

export {
  /** @deprecated Import it from `@precis/core`. */
  digest,
} from './digest.ts'
