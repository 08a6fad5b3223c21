import { type Message, readText } from '../conversation/message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { findLargestTarget, type Journal } from './model/ask.ts'
import { cleanText } from './model/clean-text.ts'
import { clipMiddle } from './model/clip-middle.ts'
import { condense, type Work } from './model/condense.ts'
import { measure } from './model/divide.ts'
import type { LanguageModel } from './model/language-model.ts'
import { EARLIER_SUMMARY, type Entry, renderHistory } from './model/render-history.ts'
import { tellLanguage } from './model/tell-language.ts'
import { builtInPrompts } from './prompts/built-in-prompts.ts'
import type { PromptName, PromptSource } from './prompts/prompt.ts'
import type { Summarizer, Summary, SummaryRequest, SummaryUsage } from './summarizer.ts'
import { addUsage } from './usage.ts'

/** All of it may be left out. */
export interface ModelSummarizerOptions {
  /** Writes instead of the first one when the input is larger than `STRONG_MODEL_TOKENS`. */
  readonly strongModel?: LanguageModel
  readonly prompts?: PromptSource
}

// Two sentences.
const SMALLEST_TARGET_TOKENS = 40

/** From here on a stronger model pays: that of DeepV Code, for windows of a million tokens. */
export const STRONG_MODEL_TOKENS = 900_000

// Prose says what happened; names, commands and errors are extracted into the rest of the room.
const SHARE = 0.6

/**
 * A summary written by a language model. An answer that may not stand in the place of what it was made from is refused;
 * then the summary is empty and `problems` says why.
 */
export function modelSummarizer(model: LanguageModel, options: ModelSummarizerOptions = {}): Summarizer {
  return {
    name: model.name,
    share: SHARE,
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      const entries = request.brief === 'rewrite' ? readOneText(request.span) : renderHistory(request.span)
      const measured = measure(entries, model.countTokens)
      const total = measured.reduce((sum, { tokens }) => sum + tokens, 0)
      const chosen = options.strongModel && total > STRONG_MODEL_TOKENS ? options.strongModel : model
      const { journal, close } = openJournal(chosen.name)
      if (entries.length === 0) return close('')
      const targetTokens = Math.min(request.targetTokens, findLargestTarget(chosen))
      if (targetTokens < SMALLEST_TARGET_TOKENS && request.brief !== 'rewrite') {
        journal.addProblem(`${targetTokens} tokens are too few for a summary in prose`)
        return close('')
      }
      const prompts = readPrompts(options.prompts, chosen)
      const work: Work = { ...plan({ ...request, targetTokens }, entries), prompts, entries: measured }
      return close((await condense(chosen, work, journal)) ?? '')
    },
  }
}

function plan(request: SummaryRequest, entries: readonly Entry[]): Omit<Work, 'prompts' | 'entries'> {
  const { brief, span, kept, targetTokens, countTokens, instructions, signal } = request
  const isUpdate = brief !== 'rewrite' && entries.some(({ title }) => title === EARLIER_SUMMARY)
  const spoken = [...span, ...kept].filter(isUserRequest).map(readText).join('\n')
  return {
    prompt: isUpdate ? 'update' : brief,
    targetTokens,
    language: tellLanguage(brief === 'rewrite' ? entries.map(({ text }) => text).join('\n') : spoken),
    stays: brief === 'rewrite' ? [] : readLastRequests(kept),
    terms: { countTokens, isLargerThan: createSizeTest(entries, countTokens) },
    ...(instructions !== undefined && instructions.trim() !== '' && { instructions: cleanText(instructions) }),
    ...(signal && { signal }),
  }
}

/** A rewrite is of what a message says; its calls stay as they are. */
function readOneText(span: readonly Message[]): Entry[] {
  return span.flatMap((message) => {
    const text = cleanText(readText(message)).trim()
    return text === '' ? [] : [{ title: message.role === 'assistant' ? 'agent' : 'person', text }]
  })
}

const LAST_REQUESTS = 3
const LONGEST_REQUEST = 800

/** The newest demands tell what the summary is for. */
function readLastRequests(kept: readonly Message[]): Entry[] {
  return kept
    .filter(isUserRequest)
    .slice(-LAST_REQUESTS)
    .map((message) => ({ title: 'person', text: clipMiddle(cleanText(readText(message)).trim(), LONGEST_REQUEST) }))
}

/** Counts only as much of the entries as it needs to. */
function createSizeTest(entries: readonly Entry[], countTokens: (text: string) => number) {
  return (tokens: number): boolean => {
    let counted = 0
    return entries.some(({ text }) => {
      counted += countTokens(text)
      return counted > tokens
    })
  }
}

function readPrompts(source: PromptSource | undefined, model: LanguageModel): Readonly<Record<PromptName, string>> {
  const slash = model.name.indexOf('/')
  const find = (name: PromptName) =>
    source?.find(name, model.name.slice(slash + 1), model.name.slice(0, Math.max(0, slash))) ?? builtInPrompts[name]
  return {
    middle: find('middle'),
    tail: find('tail'),
    update: find('update'),
    merge: find('merge'),
    rewrite: find('rewrite'),
  }
}

function openJournal(summarizer: string): { journal: Journal; close: (text: string) => Summary } {
  const problems: string[] = []
  let usage: SummaryUsage | undefined
  return {
    journal: {
      addProblem: (problem) => problems.push(problem),
      addUsage: (added) => {
        usage = addUsage(usage, added)
      },
    },
    close: (text) => ({ text, summarizer, ...(usage && { usage }), ...(problems.length > 0 && { problems }) }),
  }
}
