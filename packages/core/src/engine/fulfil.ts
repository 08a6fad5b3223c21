/** What was asked for becomes what `apply` carries out: summaries and rewrites are made here. */
import { findBridge } from '../conversation/apply.ts'
import type { Edit, RewriteEdit, SettledEdit, SummarizeEdit } from '../conversation/edit.ts'
import { type Conversation, createSyntheticMessage, type Message, readText } from '../conversation/message.ts'
import { rewriteText } from '../conversation/rewrite-text.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer, Summary, SummaryRequest } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { type CarriedLedger, findStaying } from './carry-ledger.ts'
import type { SummaryWork } from './summary-work.ts'

export interface FulfilOptions {
  readonly summarizer: Summarizer
  readonly counter: TokenCounter
  readonly ledger: CarriedLedger
  /** Notes what was asked of summarizers, and what came of it. */
  readonly work: SummaryWork
  readonly instructions?: string
  readonly signal?: AbortSignal
  /** Told how many summaries and rewrites are finished, of how many. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Undefined when a summary could not be made; a rewrite that could not be made leaves its message. */
export async function fulfil(
  conversation: Conversation,
  edits: readonly Edit[],
  options: FulfilOptions,
): Promise<SettledEdit[] | undefined> {
  const total = edits.filter(({ type }) => type === 'summarize' || type === 'rewrite').length
  let done = 0
  const report = <T>(result: T): T => {
    done++
    options.onProgress?.(done, total)
    return result
  }
  // All are started at once: how many are in flight is the summarizer's own limit.
  const settled = await Promise.all(
    edits.map(async (edit): Promise<SettledEdit | 'left' | undefined> => {
      if (edit.type === 'rewrite') return report(await rewrite(conversation, edit, options))
      if (edit.type !== 'summarize') return edit
      return report(await summarize(conversation, edit, edits, options))
    }),
  )
  options.signal?.throwIfAborted()
  if (settled.includes(undefined)) return undefined
  return settled.filter((edit) => edit !== 'left' && edit !== undefined)
}

// Joining text can split tokens differently than counting its pieces; this many stay unused.
const JOIN_SLACK_TOKENS = 8
// Less room than this is not worth facts by extraction.
const SMALLEST_SUPPLEMENT_TOKENS = 120

async function summarize(
  conversation: Conversation,
  edit: SummarizeEdit,
  edits: readonly Edit[],
  options: FulfilOptions,
): Promise<SettledEdit | undefined> {
  const { counter, ledger: carried, summarizer, work } = options
  const keep = new Set(edit.keep)
  const kept = edit.keep.map((index) => conversation.messages[index]!)
  const stays = findStaying(edits)
  const staying = conversation.messages.filter((_, index) => stays(index))
  const ledger = carried.render(staying)
  const empty = createSummaryMessage('', ledger, carried.recall)
  const frame = [empty, ...findBridges(conversation, edit, [empty, ...kept])]
  const frameTokens = frame.reduce((sum, message) => sum + counter.countMessage(message).upper, JOIN_SLACK_TOKENS)
  const request: SummaryRequest = {
    span: conversation.messages.filter((_, index) => edit.start <= index && index < edit.end && !keep.has(index)),
    kept: [...staying, ...(ledger === '' ? [] : [empty])],
    targetTokens: edit.targetTokens - frameTokens,
    brief: edit.brief,
    ...describeReader(conversation, options),
  }
  if (request.targetTokens <= 0) return undefined
  const text = await fill(request, summarizer, work)
  if (text === '') return undefined
  return {
    type: 'replace',
    start: edit.start,
    end: edit.end,
    messages: [createSummaryMessage(text, ledger, carried.recall), ...kept],
  }
}

/** The messages that `apply` will add around a summary and what is kept beside it. */
function findBridges({ messages, protocol }: Conversation, { start, end }: SummarizeEdit, said: readonly Message[]) {
  const before = messages.findLast(({ role }, index) => index < start && role !== 'system')
  const around = [before, ...said, messages[end]]
  return around.slice(1).flatMap((right, index) => findBridge(around[index], right, protocol) ?? [])
}

/** What a summarizer leaves of the room is filled with facts by extraction. */
async function fill(request: SummaryRequest, summarizer: Summarizer, work: SummaryWork): Promise<string> {
  const share = summarizer.share ?? 1
  const summary = await ask(summarizer, { ...request, targetTokens: Math.floor(request.targetTokens * share) }, work)
  const text = summary.text.trim()
  if (text === '' || share >= 1) return text
  // A chain that fell back to extraction is asked no further, and extraction has no use for a part of the room.
  const extraction = digest()
  if (summary.summarizer === extraction.name) return (await extraction.summarize(request)).text.trim()
  const room = request.targetTokens - request.countTokens(text) - JOIN_SLACK_TOKENS
  if (room < SMALLEST_SUPPLEMENT_TOKENS) return text
  const kept = [...request.kept, createSyntheticMessage('user', text)]
  const supplement = await extraction.summarize({ ...request, kept, targetTokens: room })
  return `${text}\n\n${supplement.text}`.trim()
}

async function ask(summarizer: Summarizer, request: SummaryRequest, work: SummaryWork): Promise<Summary> {
  let summary: Summary
  try {
    summary = checkSummary(await summarizer.summarize(request), summarizer, request)
  } catch (error) {
    // One that breaks is one that came to nothing: it must not take the others of many with it, nor the rungs after it.
    summary = { text: '', problems: [error instanceof Error ? error.message : String(error)] }
  }
  request.signal?.throwIfAborted()
  work.note(summarizer, summary)
  // Whoever wrote it: what precis puts into a conversation has no secret in it.
  return { ...summary, text: redactSecrets(summary.text) }
}

/** A host's own summarizer may give anything; its types are no promise. Throws `TypeError` for what is no summary. */
function checkSummary(summary: unknown, { name }: Summarizer, { brief }: SummaryRequest): Summary {
  const given = typeof summary === 'object' && summary !== null ? (summary as Partial<Summary>) : undefined
  if (typeof given?.text !== 'string') {
    const found = given ? `an object whose text is ${describe(given.text)}` : describe(summary)
    throw new TypeError(`Summarizing with "${name}": it gave ${found}. A summarizer gives { text: string }.`)
  }
  const told = Array.isArray(given.problems) ? given.problems.map(String) : []
  const isSilent = brief !== 'rewrite' && given.text.trim() === '' && told.length === 0 && name !== digest().name
  const { text, summarizer, usage } = given
  return {
    text,
    ...(typeof summarizer === 'string' && { summarizer }),
    ...(usage && { usage }),
    problems: isSilent ? [`Summarizing with "${name}": it gave no text.`] : told,
  }
}

function describe(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a ${typeof value}`
}

async function rewrite(
  conversation: Conversation,
  edit: RewriteEdit,
  options: FulfilOptions,
): Promise<SettledEdit | 'left'> {
  const { counter, ledger, summarizer, work } = options
  const message = conversation.messages[edit.start]!
  const { text, problems = [] } = await ask(
    summarizer,
    {
      span: [message],
      kept: [],
      targetTokens: edit.targetTokens,
      brief: 'rewrite',
      ...describeReader(conversation, options),
    },
    work,
  )
  const rewritten = rewriteText(message, text.trim())
  const isSmaller = counter.countMessage(rewritten).upper < counter.countMessage(message).upper
  const keepsDirectives = ledger.directivesOf(message).every((directive) => readText(rewritten).includes(directive))
  const isDone = text.trim() !== '' && isSmaller && keepsDirectives
  work.noteRewrite(isDone ? 'done' : text.trim() === '' && problems.length > 0 ? 'failed' : 'unchanged')
  return isDone ? { type: 'replace', start: edit.start, end: edit.end, messages: [rewritten] } : 'left'
}

function describeReader({ workingDirectory }: Conversation, { counter, instructions, signal }: FulfilOptions) {
  return {
    countTokens: (text: string) => counter.countText(text).upper,
    ...(instructions !== undefined && { instructions }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(signal && { signal }),
  }
}
