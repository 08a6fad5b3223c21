import { systemPrompt } from '../prompts/system.ts'
import type { SummaryUsage } from '../summarizer.ts'
import { isRepetitive } from './acceptance/is-repetitive.ts'
import { judge, type Terms } from './acceptance/judge.ts'
import { type Assignment, composeContinuation, composePrompt, composeRetry } from './compose-prompt.ts'
import type { Generation, GenerationRequest, LanguageModel } from './language-model.ts'
import type { Entry } from './render-history.ts'

/** One text to be made by one model; a second try belongs to it. */
export interface Task extends Assignment {
  readonly entries: readonly Entry[]
  readonly terms: Omit<Terms, 'shown' | 'boundary' | 'targetTokens' | 'language'>
  readonly signal?: AbortSignal
}

export type Answer =
  | { readonly type: 'text'; readonly text: string }
  /** The message is the provider's. */
  | { readonly type: 'overflow'; readonly message: string }
  | { readonly type: 'failed' }

/** Told as it happens, so that what was paid for and what went wrong is known however it ends. */
export interface Journal {
  addUsage(usage: SummaryUsage): void
  addProblem(problem: string): void
}

// Different enough that a second try is not the first one again.
const RETRY_TEMPERATURE = 0.6
// An answer has a tag around it, and the target is counted for another model.
const OUTPUT_FACTOR = 1.5
const OUTPUT_EXTRA_TOKENS = 256

export function countOutputTokens(model: LanguageModel, targetTokens: number): number {
  return Math.min(model.maxOutputTokens, Math.ceil(targetTokens * OUTPUT_FACTOR) + OUTPUT_EXTRA_TOKENS)
}

/** What a model is asked for at most: its answer has to end, and leave the greater part of the window to what it is made from. */
export function findLargestTarget({ maxOutputTokens, contextWindowTokens }: LanguageModel): number {
  return Math.floor(Math.min((maxOutputTokens - OUTPUT_EXTRA_TOKENS) / OUTPUT_FACTOR, contextWindowTokens / 4))
}

/** Asks once, and once more with what was wrong. */
export async function ask(model: LanguageModel, task: Task, journal: Journal): Promise<Answer> {
  const { entries, targetTokens, language, signal } = task
  const { text: prompt, boundary } = composePrompt(task, entries)
  const shown = [...task.stays, ...entries].map(({ text }) => text)
  if (task.instructions !== undefined) shown.push(task.instructions)
  const terms: Terms = { ...task.terms, shown, boundary, targetTokens, language }
  const first: GenerationRequest = {
    system: systemPrompt,
    prompt,
    maxOutputTokens: countOutputTokens(model, targetTokens),
    ...(signal && { signal }),
  }
  let request = first
  let shortened: string | undefined
  for (const isLast of [false, true]) {
    const generation = await generateWhole(model, request, journal)
    signal?.throwIfAborted()
    if (generation.type === 'failed') {
      if (generation.reason === 'overflow') return { type: 'overflow', message: generation.message }
      journal.addProblem(generation.message)
      break
    }
    const verdict = judge(generation.text, generation.finishReason, terms)
    if (verdict.type === 'accepted') {
      // Under the first request: that is the one which a repeated run begins with.
      await model.remember?.(first, generation.text)
      return { type: 'text', text: verdict.text }
    }
    journal.addProblem(verdict.problem)
    shortened = verdict.shortened ?? shortened
    if (isLast) break
    request = {
      ...request,
      prompt: composeRetry(prompt, verdict.correction),
      temperature: RETRY_TEMPERATURE,
      // Reasoning may have taken all of it.
      ...(generation.finishReason === 'length' && {
        maxOutputTokens: Math.min(model.maxOutputTokens, request.maxOutputTokens * 2),
      }),
    }
  }
  if (shortened === undefined) return { type: 'failed' }
  journal.addProblem('it was cut after the last sentence that fits')
  await model.remember?.(first, `<summary>${shortened}</summary>`)
  return { type: 'text', text: shortened }
}

/** One answer; one that was cut off is gone on with once. */
async function generateWhole(model: LanguageModel, request: GenerationRequest, journal: Journal): Promise<Generation> {
  const first = await model.generate(request)
  if (first.usage) journal.addUsage(first.usage)
  if (first.type === 'failed' || first.finishReason !== 'length') return first
  if (first.text.trim() === '' || isRepetitive(first.text)) return first
  request.signal?.throwIfAborted()
  const second = await model.generate({ ...request, prompt: composeContinuation(request.prompt, first.text) })
  if (second.usage) journal.addUsage(second.usage)
  if (second.type === 'failed') return first
  // Some begin again instead of going on.
  const isWhole = second.text.trimStart().startsWith('<summary>')
  return { ...second, text: isWhole ? second.text : first.text + second.text }
}
