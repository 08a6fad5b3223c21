/** Why an attempt did not end the search. */
export type AttemptRefusal =
  /** The strategy found nothing to do, or made nothing smaller. */
  | 'changed-nothing'
  /** A summary did not fit, or none was made. */
  | 'no-summary'
  /** Nothing of the history was left. */
  | 'no-history'
  /** A limit is not kept: tokens, bytes or images. */
  | 'over-limit'
  /** The limits are kept, and the size that was aimed at is not. */
  | 'over-target'
  /** The ledger cannot be read back from it. */
  | 'ledger-unsaid'
  /** With its ledger it breaks a rule of the provider. */
  | 'breaks-rule'
  /** It is small enough, and another result loses fewer facts. */
  | 'loses-more'

/** One attempt of a search, and what came of it. */
export interface AttemptReport {
  /** The strategies, or what else was done. */
  readonly name: string
  /** For a summary: the tokens that stay after it. */
  readonly tailTokens?: number
  /** For a summary: whether the beginning is summarized too. */
  readonly withoutHead?: boolean
  /** Tokens of its result, with the ledger. Undefined if there was no result. */
  readonly tokens?: number
  /** Why it was not taken. Undefined for the attempt that was taken. */
  readonly refusal?: AttemptRefusal
}
