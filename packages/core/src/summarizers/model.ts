import { hasFailed } from '../actions/outcome.ts'
import {
  aName,
  aNumberAbove0,
  checkOptions,
  checkValue,
  type Kind,
  withMethods,
} from '../conversation/check-options.ts'
import {
  type Message,
  type Part,
  readText,
  renderInput,
  renderPart,
  type ToolCallPart,
} from '../conversation/message.ts'
import { readLedgerText, readSummary } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { type CallJournal, findLargestTarget, type RenderedEntry } from './ask.ts'
import { cleanModelText, clipMiddle } from './clean-text.ts'
import { condense, measure, type Work } from './condense.ts'
import { tellLanguage } from './language.ts'
import { measureUnit } from './length.ts'
import { builtInPrompts, type PromptName, type PromptSource } from './prompts.ts'
import {
  addUsage,
  type LanguageModel,
  type Summarizer,
  type Summary,
  type SummaryRequest,
  type SummaryUsage,
} from './summarizer.ts'

/** Every option may be left out. */
export interface ModelSummarizerOptions {
  /** Writes instead of the first one when the input is larger than `STRONG_MODEL_TOKENS`. */
  readonly strongModel?: LanguageModel
  readonly prompts?: PromptSource
}

const aLanguageModel: Kind = {
  ...withMethods('a language model', 'generate', 'countTokens'),
  members: { name: aName, contextWindowTokens: aNumberAbove0, maxOutputTokens: aNumberAbove0 },
  needed: ['name', 'contextWindowTokens', 'maxOutputTokens'],
}

export const aPromptSource: Kind = withMethods('a source of prompts', 'find')

// Two sentences.
const SMALLEST_TARGET_TOKENS = 40

/**
 * From this size a stronger model is worth its price. DeepV Code uses this limit for windows of a
 * million tokens.
 */
export const STRONG_MODEL_TOKENS = 900_000

// Prose says what happened. Names, commands and errors are extracted into the rest of the space.
export const PROSE_SHARE = 0.6

/**
 * Summaries by a language model. An answer that may not replace its source is refused: an empty
 * summary, with the reason.
 */
export function modelSummarizer(
  model: LanguageModel,
  options: ModelSummarizerOptions = {},
): Summarizer {
  checkValue('Creating a summarizer', 'model', model, aLanguageModel)
  checkOptions('Creating a summarizer', options, {
    strongModel: aLanguageModel,
    prompts: aPromptSource,
  })
  return {
    name: model.name,
    share: PROSE_SHARE,
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      const entries =
        request.brief === 'rewrite' ? readOneText(request.span) : renderHistory(request.span)
      const measured = measure(entries, model.countTokens)
      const total = measured.reduce((sum, { tokens }) => sum + tokens, 0)
      const chosen =
        options.strongModel && total > STRONG_MODEL_TOKENS ? options.strongModel : model
      const { journal, close } = openJournal(chosen.name)
      if (entries.length === 0) return close('')
      const targetTokens = Math.min(request.targetTokens, findLargestTarget(chosen))
      if (targetTokens < SMALLEST_TARGET_TOKENS && request.brief !== 'rewrite') {
        journal.addProblem(`${targetTokens} tokens are too few for a summary in prose`)
        return close('')
      }
      const prompts = readPrompts(options.prompts, chosen)
      const assignment = plan({ ...request, targetTokens }, entries, chosen)
      const work: Work = { ...assignment, prompts, entries: measured }
      try {
        return close((await condense(chosen, work, journal)) ?? '')
      } catch (error) {
        // What was paid before it broke is part of the price.
        request.signal?.throwIfAborted()
        journal.addProblem(`it broke: ${error instanceof Error ? error.message : String(error)}`)
        return close('')
      }
    },
  }
}

function plan(
  request: SummaryRequest,
  entries: readonly RenderedEntry[],
  model: LanguageModel,
): Omit<Work, 'prompts' | 'entries'> {
  const { brief, span, kept, targetTokens, countTokens, instructions, signal } = request
  const isUpdate = brief !== 'rewrite' && entries.some(({ title }) => title === EARLIER_SUMMARY)
  const spoken = [...span, ...kept].filter(isUserRequest).map(readText).join('\n')
  const prose = entries.flatMap(({ title, text }) => (PROSE.has(title) ? text : [])).join('\n')
  const language = tellLanguage(brief === 'rewrite' ? prose : spoken)
  return {
    prompt: isUpdate ? 'update' : brief,
    targetTokens,
    language,
    unit: measureUnit(prose, language, countTokens),
    stays: brief === 'rewrite' ? [] : [...readLedger(kept, model), ...readLastRequests(kept)],
    terms: { countTokens, isLargerThan: createSizeTest(entries, countTokens) },
    instructions: instructions?.trim() ? cleanModelText(instructions) : undefined,
    signal,
  }
}

const AGENT = 'agent'
const PERSON = 'person'
const PROSE: ReadonlySet<string> = new Set([AGENT, PERSON])

/** A rewrite covers what a message says. Its calls stay unchanged. */
function readOneText(span: readonly Message[]): RenderedEntry[] {
  return span.flatMap((message) => {
    const text = cleanModelText(readText(message)).trim()
    return text === '' ? [] : [{ title: message.role === 'assistant' ? AGENT : PERSON, text }]
  })
}

// In characters for each token of the model's window: a ledger takes half of it at the very most.
const LEDGER_SHARE = 0.5

/** The user's words, pins and tasks, as they will appear next to the summary. */
function readLedger(
  kept: readonly Message[],
  { contextWindowTokens }: LanguageModel,
): RenderedEntry[] {
  const texts = kept.flatMap((message) => readLedgerText(message) || [])
  return texts.map((text) => ({
    title: 'pins, words of the person and tasks',
    text: clipMiddle(cleanModelText(text), Math.floor(contextWindowTokens * LEDGER_SHARE)),
  }))
}

const LAST_REQUESTS = 3
const LONGEST_REQUEST = 800

/** The newest requests: they show what the summary is for. */
function readLastRequests(kept: readonly Message[]): RenderedEntry[] {
  return kept
    .filter(isUserRequest)
    .slice(-LAST_REQUESTS)
    .map((message) => ({
      title: PERSON,
      text: clipMiddle(cleanModelText(readText(message)).trim(), LONGEST_REQUEST),
    }))
}

/** Counts only as much of the entries as it needs to. */
function createSizeTest(entries: readonly RenderedEntry[], countTokens: (text: string) => number) {
  return (tokens: number): boolean => {
    let counted = 0
    return entries.some(({ text }) => {
      counted += countTokens(text)
      return counted > tokens
    })
  }
}

function readPrompts(
  source: PromptSource | undefined,
  model: LanguageModel,
): Readonly<Record<PromptName, string>> {
  const slash = model.name.indexOf('/')
  const find = (name: PromptName) =>
    source?.find(name, model.name.slice(slash + 1), model.name.slice(0, Math.max(0, slash))) ??
    builtInPrompts[name]
  const names = Object.keys(builtInPrompts) as PromptName[]
  return Object.fromEntries(names.map((name) => [name, find(name)])) as Readonly<
    Record<PromptName, string>
  >
}

function openJournal(summarizer: string): {
  journal: CallJournal
  close: (text: string) => Summary
} {
  const problems: string[] = []
  let usage: SummaryUsage | undefined
  return {
    journal: {
      addProblem: (problem) => problems.push(problem),
      addUsage: (added) => {
        usage = addUsage(usage, { ...added, models: [{ model: summarizer, ...added }] })
      },
    },
    close: (text) => ({
      text,
      summarizer,
      usage,
      problems: problems.length > 0 ? problems : undefined,
    }),
  }
}

// In characters. Words of people and of the agent are not clipped. Output is mostly needed at its
// ends.
const LONGEST: Readonly<Record<Part['type'], number>> = {
  text: Infinity,
  reasoning: 4000,
  'tool-call': 4000,
  'tool-result': 8000,
  opaque: 200,
  image: 200,
  file: 200,
}

/** Everything the model saw, in its order: words, reasoning, calls, results. Media only by name. */
function renderHistory(span: readonly Message[]): RenderedEntry[] {
  const calls = new Map<string, ToolCallPart>()
  const entries: RenderedEntry[] = []
  for (const message of span) {
    const summary = readSummary(message)
    if (summary !== undefined) {
      entries.push({ title: EARLIER_SUMMARY, text: cleanModelText(summary) })
      continue
    }
    for (const part of message.parts) {
      if (part.type === 'tool-call') calls.set(part.callId, part)
      const entry = { title: readTitle(message, part, calls), text: readPart(part) }
      if (entry.text !== '' || part.type === 'tool-result') entries.push(entry)
    }
  }
  return entries
}

const EARLIER_SUMMARY = 'earlier summary'

function readTitle(message: Message, part: Part, calls: ReadonlyMap<string, ToolCallPart>): string {
  if (part.type === 'tool-call') return `agent calls ${nameTool(part.name)}`
  if (part.type === 'tool-result') {
    const call = calls.get(part.callId)
    const name = nameTool(part.name ?? call?.name ?? 'a tool')
    return `result of ${name}${hasFailed(part, call) ? ', failed' : ''}`
  }
  if (part.type === 'reasoning') return 'agent thinks'
  if (message.role === 'assistant') return AGENT
  if (message.role === 'user') return message.origin === 'user' ? PERSON : 'host'
  return message.role
}

/** Cleans the name of a tool, which comes from outside as well. */
const nameTool = (name: string): string => cleanModelText(name).replace(/\s+/g, ' ').slice(0, 80)

/** Clips after secrets are redacted: half a key is not recognised. */
function readPart(part: Part): string {
  // Opaque content is not text: it may be encrypted, or sound.
  if (part.type === 'opaque')
    return `[${cleanModelText(part.kind).slice(0, 80)}, ${part.text.length} characters]`
  const text = part.type === 'tool-call' ? renderInput(part.input) : renderPart(part)
  return clipMiddle(cleanModelText(text).trim(), LONGEST[part.type])
}
