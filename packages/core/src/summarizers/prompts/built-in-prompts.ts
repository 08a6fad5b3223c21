import { mergePrompt } from './merge.ts'
import { middlePrompt } from './middle.ts'
import type { PromptName } from './prompt.ts'
import { rewritePrompt } from './rewrite.ts'
import { tailPrompt } from './tail.ts'
import { updatePrompt } from './update.ts'

/** One for each name; docs/summarizers/model.md#prompts. */
export const builtInPrompts: Readonly<Record<PromptName, string>> = {
  middle: middlePrompt,
  tail: tailPrompt,
  update: updatePrompt,
  merge: mergePrompt,
  rewrite: rewritePrompt,
}
