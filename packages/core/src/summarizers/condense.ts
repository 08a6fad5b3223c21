import {
  ask,
  type CallJournal,
  composePrompt,
  countOutputTokens,
  type ModelAnswer,
  type RenderedEntry,
  type SummaryTask,
} from './ask.ts'
import { findBreak } from './clean-text.ts'
import type { PromptName } from './prompts.ts'
import type { LanguageModel } from './summarizer.ts'

/** A text to be made from entries of any length. */
export interface Work extends Omit<SummaryTask, 'entries' | 'task'> {
  readonly prompts: Readonly<Record<PromptName, string>>
  readonly prompt: PromptName
  readonly entries: readonly MeasuredEntry[]
}

// Estimates are off by some per cent, and a provider adds a little.
const USED_SHARE = 0.9
const SMALLEST_CHUNK_TOKENS = 512
const SMALLEST_PART_TOKENS = 300
// Parts of a quarter of a chunk: at least three of them fit in one, so each round of merging leaves
// fewer.
const PART_SHARE = 0.25

/**
 * One text, however long the entries are. If they do not fit the model's window, they are divided
 * into chunks. Each chunk is summarized and the summaries are merged, so nothing is left out.
 * Undefined if it fails, with the reason in the journal.
 *
 *     entries ──► chunk  chunk  chunk ──► part  part  part ──► text
 */
export async function condense(
  model: LanguageModel,
  work: Work,
  journal: CallJournal,
): Promise<string | undefined> {
  let limitTokens = countRoom(model, work)
  let problem = `its window of ${model.contextWindowTokens} tokens is too small for this`
  while (limitTokens >= SMALLEST_CHUNK_TOKENS) {
    const chunks = divide(work.entries, limitTokens, model.countTokens)
    const [first, ...others] = chunks
    if (!first) return undefined
    const isWhole = others.length === 0
    const part = isWhole ? work : toPart(work, limitTokens, chunks.length)
    // The first one runs on its own. It shows if the limit is right before the others are paid for.
    const answer = await askFor(model, part, first, journal)
    if (answer.type === 'overflow') {
      limitTokens = halve(first, limitTokens)
      problem = answer.message
      continue
    }
    if (answer.type === 'failed') return undefined
    if (isWhole) return answer.text
    const texts = await Promise.all(
      others.map((chunk) => condenseChunk(model, part, chunk, limitTokens, journal)),
    )
    if (texts.includes(undefined)) return undefined
    return merge(
      model,
      work,
      [answer.text, ...texts.flatMap((text) => text ?? [])],
      limitTokens,
      journal,
    )
  }
  journal.addProblem(problem)
  return undefined
}

/** Half of what was too long, which may be less than was allowed. */
function halve(chunk: readonly MeasuredEntry[], limitTokens: number): number {
  const tokens = chunk.reduce((sum, entry) => sum + entry.tokens, 0)
  return Math.floor(Math.min(tokens, limitTokens) / 2)
}

/** Tokens of entries that go into one call. */
function countRoom(model: LanguageModel, work: Work): number {
  const task = { ...work, task: work.prompts[work.prompt] }
  const frameTokens = model.countTokens(composePrompt(task, []).text) + FIXED_TOKENS
  const outputTokens = countOutputTokens(model, work.targetTokens)
  return Math.floor((model.contextWindowTokens - outputTokens - frameTokens) * USED_SHARE)
}

// The system prompt, and the sentence that a second try adds.
const FIXED_TOKENS = 400

function askFor(
  model: LanguageModel,
  work: Work,
  entries: readonly RenderedEntry[],
  journal: CallJournal,
): Promise<ModelAnswer> {
  return ask(model, { ...work, task: work.prompts[work.prompt], entries }, journal)
}

/** The same work for one chunk of several. */
function toPart(work: Work, limitTokens: number, chunks: number): Work {
  const share = Math.ceil((work.targetTokens * (work.prompt === 'rewrite' ? 1 : 1.5)) / chunks)
  const smallest = work.prompt === 'rewrite' ? share : Math.max(share, SMALLEST_PART_TOKENS)
  return { ...work, targetTokens: Math.min(smallest, Math.floor(limitTokens * PART_SHARE)) }
}

/**
 * Summarizes a chunk. If a chunk is too large after all, it is halved, and the summaries of its
 * pieces are joined.
 */
async function condenseChunk(
  model: LanguageModel,
  part: Work,
  chunk: readonly MeasuredEntry[],
  limitTokens: number,
  journal: CallJournal,
): Promise<string | undefined> {
  const texts: string[] = []
  const waiting = [{ chunk, limitTokens }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const answer = await askFor(model, part, next.chunk, journal)
    if (answer.type === 'failed') return undefined
    if (answer.type === 'text') {
      texts.push(answer.text)
      continue
    }
    const half = halve(next.chunk, next.limitTokens)
    if (half < SMALLEST_CHUNK_TOKENS) {
      journal.addProblem(answer.message)
      return undefined
    }
    const pieces = divide(next.chunk, half, model.countTokens)
    for (const piece of pieces.reverse()) waiting.push({ chunk: piece, limitTokens: half })
  }
  return texts.join('\n\n')
}

/** Rounds of merging: each leaves less than half as many texts. */
async function merge(
  model: LanguageModel,
  work: Work,
  parts: readonly string[],
  limitTokens: number,
  journal: CallJournal,
): Promise<string | undefined> {
  // The pieces of one message replace it one after the other.
  if (work.prompt === 'rewrite') return parts.join('\n\n')
  let texts = parts
  while (texts.length > 1) {
    const entries = texts.map((text, index) => ({
      title: `summary of part ${index + 1} of ${texts.length}`,
      text,
    }))
    const groups = divide(measure(entries, model.countTokens), limitTokens, model.countTokens)
    if (groups.length >= texts.length) {
      journal.addProblem('the summaries of its parts do not fit its window together')
      return undefined
    }
    const part: Work = {
      ...(groups.length === 1 ? work : toPart(work, limitTokens, groups.length)),
      prompt: 'merge',
    }
    const merged = await Promise.all(
      groups.map((group) => condenseChunk(model, part, group, limitTokens, journal)),
    )
    if (merged.includes(undefined)) return undefined
    texts = merged.flatMap((text) => text ?? [])
  }
  return texts[0]
}

/** An entry, or a piece of one, with what it costs the summarizing model. */
interface MeasuredEntry extends RenderedEntry {
  readonly tokens: number
}

// A title and the line around it.
const TITLE_TOKENS = 16

export function measure(
  entries: readonly RenderedEntry[],
  countTokens: (text: string) => number,
): MeasuredEntry[] {
  return entries.map((entry) => ({ ...entry, tokens: countTokens(entry.text) + TITLE_TOKENS }))
}

/**
 * Consecutive chunks of at most `limitTokens`, about equally large. Only an entry too large for a
 * chunk is split.
 */
export function divide(
  entries: readonly MeasuredEntry[],
  limitTokens: number,
  countTokens: (text: string) => number,
) {
  const pieces = entries.flatMap((entry) => split(entry, limitTokens, countTokens))
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  // Chunks are equal, because a rest of a few messages would be summarized without its context.
  const wantedTokens = total / Math.max(1, Math.ceil(total / limitTokens))
  const chunks: MeasuredEntry[][] = []
  let tokens = 0
  for (const piece of pieces) {
    const last = chunks.at(-1)
    if (last && tokens + piece.tokens <= limitTokens && tokens < wantedTokens) {
      last.push(piece)
      tokens += piece.tokens
    } else {
      chunks.push([piece])
      tokens = piece.tokens
    }
  }
  return chunks
}

/** Halves until each half fits: every character is counted once for each halving. */
function split(
  entry: MeasuredEntry,
  limitTokens: number,
  countTokens: (text: string) => number,
): MeasuredEntry[] {
  if (entry.tokens <= limitTokens) return [entry]
  const waiting: MeasuredEntry[] = [entry]
  const pieces: MeasuredEntry[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const middle = findBreak(next.text, Math.ceil(next.text.length / 2), 1)
    if (next.tokens <= limitTokens || middle >= next.text.length) {
      pieces.push(next)
      continue
    }
    const halves = [next.text.slice(middle), next.text.slice(0, middle)]
    for (const text of halves)
      waiting.push({ title: entry.title, text, tokens: countTokens(text) + TITLE_TOKENS })
  }
  return pieces.map((piece, index) => ({
    ...piece,
    title: `${entry.title}, piece ${index + 1} of ${pieces.length}`,
  }))
}
