/** What a model is asked: a summary of a middle or of a beginning, a summary brought up to date, one text, one made of several. */
export type PromptName = 'middle' | 'tail' | 'update' | 'rewrite' | 'merge'

/** Prompts of the person, in the place of the built-in ones. */
export interface PromptSource {
  /** Undefined: the built-in one. */
  find(name: PromptName, model: string, provider: string): string | undefined
}
