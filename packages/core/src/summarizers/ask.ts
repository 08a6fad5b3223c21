import { isRepetitive, judge, type Terms } from './judge.ts'
import { type Language, languageNames } from './language.ts'
import type { LengthUnit } from './length.ts'
import { systemPrompt } from './prompts.ts'
import type { Generation, GenerationRequest, LanguageModel, SummaryUsage } from './summarizer.ts'

/** One message for the summarizing model. Its content cannot move its borders. */
export interface RenderedEntry {
  /** Who speaks, for example `person` or `result of read, failed`. */
  readonly title: string
  readonly text: string
}

/** The part of a prompt that is not data. */
interface Assignment {
  /** The name of a prompt. */
  readonly task: string
  readonly targetTokens: number
  readonly language: Language | undefined
  /** In which the length is told. */
  readonly unit: LengthUnit
  /** The user's own words on what has to be kept. */
  readonly instructions?: string
  /** Stays in the conversation, so that it need not be repeated. */
  readonly stays: readonly RenderedEntry[]
}

/** One text that one model writes, including a second try. */
export interface SummaryTask extends Assignment {
  readonly entries: readonly RenderedEntry[]
  readonly terms: Omit<Terms, 'shown' | 'boundary' | 'targetTokens' | 'language' | 'unit'>
  readonly signal?: AbortSignal
}

export type ModelAnswer =
  | { readonly type: 'text'; readonly text: string }
  /** The message is the provider's. */
  | { readonly type: 'overflow'; readonly message: string }
  | { readonly type: 'failed' }

/** Written as it happens, so that costs and problems are known however it ends. */
export interface CallJournal {
  addUsage(usage: SummaryUsage): void
  addProblem(problem: string): void
}

// Different enough that a second try is not the first one again.
const RETRY_TEMPERATURE = 0.6
// An answer has a tag around it, and the target is counted for another model.
const OUTPUT_FACTOR = 1.5
const OUTPUT_EXTRA_TOKENS = 256

export function countOutputTokens(model: LanguageModel, targetTokens: number): number {
  return Math.min(
    model.maxOutputTokens,
    Math.ceil(targetTokens * OUTPUT_FACTOR) + OUTPUT_EXTRA_TOKENS,
  )
}

/**
 * The most that a model is asked for: its answer has to end, and leave the greater part of the
 * window to its input.
 */
export function findLargestTarget({ maxOutputTokens, contextWindowTokens }: LanguageModel): number {
  return Math.floor(
    Math.min((maxOutputTokens - OUTPUT_EXTRA_TOKENS) / OUTPUT_FACTOR, contextWindowTokens / 4),
  )
}

/** Asks once, and a second time with the fault of the first answer. */
export async function ask(
  model: LanguageModel,
  task: SummaryTask,
  journal: CallJournal,
): Promise<ModelAnswer> {
  const { entries, targetTokens, language, unit, signal } = task
  const { text: prompt, boundary } = composePrompt(task, entries)
  const shown = [...task.stays, ...entries].map(({ text }) => text)
  if (task.instructions !== undefined) shown.push(task.instructions)
  const terms: Terms = { ...task.terms, shown, boundary, targetTokens, language, unit }
  const maxOutputTokens = countOutputTokens(model, targetTokens)
  const first: GenerationRequest = { system: systemPrompt, prompt, maxOutputTokens, signal }
  let request = first
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
      if (verdict.problem !== undefined) journal.addProblem(verdict.problem)
      // Under the first request: a repeated run begins with that one.
      try {
        await model.remember?.(first, generation.text)
      } catch (error) {
        journal.addProblem(`its answer is not remembered: ${String(error)}`)
      }
      return { type: 'text', text: verdict.text }
    }
    journal.addProblem(verdict.problem)
    if (isLast) break
    // If the answer was cut off, reasoning may have used all of the output.
    const factor = generation.finishReason === 'length' ? 2 : 1
    request = {
      ...request,
      prompt: `${prompt}\n\nAn earlier answer could not be used. ${verdict.correction}`,
      temperature: RETRY_TEMPERATURE,
      maxOutputTokens: Math.min(model.maxOutputTokens, request.maxOutputTokens * factor),
    }
  }
  return { type: 'failed' }
}

/** Gets one answer, and once the rest of one that was cut off. */
async function generateWhole(
  model: LanguageModel,
  request: GenerationRequest,
  journal: CallJournal,
): Promise<Generation> {
  const first = await model.generate(request)
  if (first.usage) journal.addUsage(first.usage)
  if (first.type === 'failed' || first.finishReason !== 'length') return first
  if (first.text.trim() === '' || isRepetitive(first.text)) return first
  request.signal?.throwIfAborted()
  const second = await model.generate({
    ...request,
    prompt: composeContinuation(request.prompt, first.text),
  })
  if (second.usage) journal.addUsage(second.usage)
  if (second.type === 'failed') return first
  // Some begin again instead of going on.
  const isWhole = second.text.trimStart().startsWith('<summary>')
  return { ...second, text: isWhole ? second.text : first.text + second.text }
}

//   task, length, language, the user's focus
//   ─── 5f3c… stays ───  ─── 5f3c… person ───  ─── 5f3c… result of read ───  …  ─── 5f3c… end ───
//   the tag again, because models follow the end of a prompt best
export function composePrompt(assignment: Assignment, entries: readonly RenderedEntry[]) {
  const { task, targetTokens, language, unit, instructions, stays } = assignment
  const length = Math.max(1, Math.floor(targetTokens / unit.tokens))
  const asked = instructions?.trim() ?? ''
  const boundary = createBoundary([
    task,
    asked,
    ...[...stays, ...entries].flatMap(({ title, text }) => [title, text]),
  ])
  const line = (title: string) => `=== ${boundary} ${title} ===`
  const lines = [
    task,
    '',
    `Write at most ${length} ${unit.name} (about ${targetTokens} tokens), less where less says it.`,
    language === undefined
      ? 'Write in the language of the person.'
      : `Write in ${languageNames[language]}.`,
  ]
  if (asked !== '') lines.push('', 'The person asks you to keep above all:', asked)
  lines.push(
    '',
    `The data stands between lines that begin with "=== ${boundary}"; each says who speaks.`,
  )
  if (stays.length > 0) {
    lines.push(
      '',
      line('begin of what stays in the conversation beside your text; do not repeat it'),
    )
    for (const { title, text } of stays) lines.push(line(title), text)
  }
  lines.push('', line('begin of the data'))
  for (const { title, text } of entries) lines.push(line(title), text)
  lines.push(line('end of the data'), '')
  lines.push(
    'Do with the data what was asked before it. Answer with <summary>, your text, </summary>.',
  )
  return { text: lines.join('\n'), boundary }
}

/** Asks for the rest of an answer that was cut off. */
function composeContinuation(prompt: string, answer: string): string {
  return `${prompt}\n\nYour answer was cut off by its length. It was:\n\n${answer}\n\nGo on exactly after its last character, in as few words as possible. Repeat nothing. End with </summary>.`
}

/**
 * Creates a name that appears nowhere in the texts, for the lines around the data of one call. It
 * is a hash of all texts, so no text can contain it on purpose. The same call gets the same name,
 * so that a finished answer is found again.
 */
export function createBoundary(texts: readonly string[]): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      high = Math.imul(high ^ code, 2654435761)
      low = Math.imul(low ^ code, 1597334677)
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ text.length
  }
  for (;;) {
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
    const name = toHex(high) + toHex(low)
    if (!texts.some((text) => text.includes(name))) return name
  }
}

const toHex = (number: number): string => (number >>> 0).toString(16).padStart(8, '0')
