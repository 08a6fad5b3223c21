/**
 * Carries out what a plan leaves to summarizers: summaries and rewrites become edits that `apply`
 * understands.
 */

import { findBridge, rewriteText } from '../conversation/apply.ts'
import { findBondedParts } from '../conversation/bonds.ts'
import {
  type AppliedEdit,
  type Edit,
  isApplied,
  type RewriteEdit,
  type SummarizeEdit,
} from '../conversation/edit.ts'
import {
  type Conversation,
  createSyntheticMessage,
  type Message,
  readText,
  renderPart,
} from '../conversation/message.ts'
import { summaryHeadings } from '../conversation/summary-layout.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { digest } from '../digest/digest.ts'
import { clipWords } from '../facts/clip-words.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { markUnknownNames } from '../summarizers/mark-names.ts'
import {
  readSummaryOf,
  type Summarizer,
  type Summary,
  type SummaryRequest,
} from '../summarizers/summarizer.ts'
import { type CarriedLedger, findStaying } from './carry-ledger.ts'
import type { EngineRun } from './options.ts'

/** A run, and the ledger next to its summaries. */
export interface FulfilRun extends EngineRun {
  readonly ledger: CarriedLedger
}

/**
 * Undefined if a summary could not be made. A rewrite that could not be made leaves its message
 * unchanged.
 */
export async function fulfil(
  conversation: Conversation,
  edits: readonly Edit[],
  run: FulfilRun,
): Promise<AppliedEdit[] | undefined> {
  const total = edits.filter((edit) => !isApplied(edit)).length
  let done = 0
  const report = <T>(result: T): T => {
    run.onProgress?.('summarize', ++done, total)
    return result
  }
  // All are started immediately. The summarizer limits how many run at the same time.
  const fulfilled = await Promise.all(
    edits.map(async (edit): Promise<AppliedEdit | 'left' | undefined> => {
      if (edit.type === 'rewrite') return report(await rewrite(conversation, edit, run))
      if (edit.type !== 'summarize') return edit
      return report(await summarize(conversation, edit, edits, run))
    }),
  )
  run.signal?.throwIfAborted()
  if (fulfilled.includes(undefined)) return undefined
  return fulfilled.filter((edit) => edit !== 'left' && edit !== undefined)
}

// Joined text can have other tokens than its pieces. This many stay unused.
const JOIN_SLACK_TOKENS = 8
// A smaller space is not worth facts by extraction.
const SMALLEST_SUPPLEMENT_TOKENS = 120

async function summarize(
  conversation: Conversation,
  edit: SummarizeEdit,
  edits: readonly Edit[],
  run: FulfilRun,
): Promise<AppliedEdit | undefined> {
  const { start, end } = edit
  const kept = edit.keep.map((index) => conversation.messages[index]!)
  const stays = findStaying(edits)
  const staying = conversation.messages.filter((_, index) => stays(index))
  const ledger = run.ledger.render(staying)
  const empty = createSummaryMessage('', ledger, run.ledger.recall)
  const frame = [empty, ...findBridges(conversation, edit, [empty, ...kept])]
  const frameTokens = frame.reduce(
    (sum, message) => sum + run.counter.countMessage(message).upper,
    JOIN_SLACK_TOKENS,
  )
  const targetTokens = edit.targetTokens - frameTokens
  if (targetTokens <= 0) return undefined
  const span = conversation.messages.filter(
    (_, index) => start <= index && index < end && !edit.keep.includes(index),
  )
  const beside = ledger === '' ? staying : [...staying, empty]
  const { brief } = edit
  const turns = run.ledger.turnsOf(conversation.messages)
  const request = {
    ...requestOf(conversation, run),
    span,
    kept: beside,
    targetTokens,
    brief,
    turns,
    conversation,
  }
  const text = await fill(run, request, conversation)
  if (text === '') return undefined
  return {
    type: 'replace',
    start,
    end,
    messages: [createSummaryMessage(text, ledger, run.ledger.recall), ...kept],
  }
}

/** The messages that `apply` will add around a summary, and what is kept next to it. */
function findBridges(
  { messages, protocol }: Conversation,
  { start, end }: SummarizeEdit,
  said: readonly Message[],
) {
  const before = messages.findLast(({ role }, index) => index < start && role !== 'system')
  const around = [before, ...said, messages[end]]
  return around.slice(1).flatMap((right, index) => findBridge(around[index], right, protocol) ?? [])
}

/** Fills the space that a summarizer leaves with facts by extraction. */
async function fill(
  run: FulfilRun,
  request: SummaryRequest,
  { tools }: Conversation,
): Promise<string> {
  const { share = 1 } = run.summarizer
  const summary = await ask(run, {
    ...request,
    targetTokens: Math.floor(request.targetTokens * share),
  })
  const isExtraction = (summary.summarizer ?? run.summarizer.name) === digest().name
  const given = summary.text.trim()
  const text = isExtraction
    ? given
    : checkNames(demoteHeadings(given), listSources(request, tools), request, run)
  if (text === '' || share >= 1) return text
  // A chain that fell back to extraction is not asked again. Extraction cannot use a part of the
  // space.
  const extraction = digest()
  if (summary.summarizer === extraction.name)
    return (await extraction.summarize(request)).text.trim()
  const room = request.targetTokens - request.countTokens(text) - JOIN_SLACK_TOKENS
  if (room < SMALLEST_SUPPLEMENT_TOKENS) return text
  const kept = [...request.kept, createSyntheticMessage('user', text)]
  const supplement = await extraction.summarize({ ...request, kept, targetTokens: room })
  return `${text}\n\n${supplement.text}`.trim()
}

/** A summarizer that quotes needs no such check. A model may name things that never existed. */
function checkNames(
  given: string,
  sources: Iterable<string>,
  request: SummaryRequest,
  { work }: FulfilRun,
): string {
  const { countTokens, targetTokens } = request
  const fits = (text: string) => countTokens(text) <= targetTokens
  const { text, ...check } = markUnknownNames(given, { sources, fits })
  work.noteNames(check)
  return text
}

/**
 * All texts that names may come from, one after the other. Together they may be too long for one
 * string.
 */
function* listSources(request: SummaryRequest, tools: Conversation['tools']): Generator<string> {
  const { span, kept, instructions = '', workingDirectory = '' } = request
  for (const { parts } of [...span, ...kept]) for (const part of parts) yield renderPart(part)
  yield* [instructions, workingDirectory, ...tools]
}

const LAYOUT: ReadonlySet<string> = new Set(Object.values(summaryHeadings))

/**
 * The headings of the layout are for what code wrote. In a fenced block, any other such line is
 * code.
 */
function demoteHeadings(text: string): string {
  let fence: string | undefined
  return text.replace(
    /^ {0,3}(`{3,}|~{3,})([^\n]*)|^#{1,2} ([^\n]*)/gm,
    (line, marks: string | undefined, more: string | undefined, heading = '') => {
      if (marks === undefined)
        return fence === undefined || LAYOUT.has(heading) ? `### ${heading}` : line
      if (fence === undefined) fence = marks
      else if (marks.startsWith(fence) && more?.trim() === '') fence = undefined
      return line
    },
  )
}

async function rewrite(
  conversation: Conversation,
  edit: RewriteEdit,
  run: FulfilRun,
): Promise<AppliedEdit | 'left'> {
  const { counter, work } = run
  const { start, end, targetTokens } = edit
  const message = conversation.messages[start]!
  const request = {
    ...requestOf(conversation, run),
    span: [message],
    kept: [],
    targetTokens,
    brief: edit.type,
  }
  // The user's own words are clipped, never said in others.
  const { text, problems = [] } =
    message.origin === 'user' ? clipMessage(message, request) : await ask(run, request)
  const { tied } = findBondedParts(conversation.messages)
  const rewritten = rewriteText(message, text.trim(), tied)
  const isSmaller = counter.countMessage(rewritten).upper < counter.countMessage(message).upper
  const isDone = text.trim() !== '' && isSmaller
  work.noteRewrite(
    isDone ? 'done' : text.trim() === '' && problems.length > 0 ? 'failed' : 'unchanged',
  )
  return isDone ? { type: 'replace', start, end, messages: [rewritten] } : 'left'
}

function clipMessage(message: Message, { targetTokens, countTokens }: SummaryRequest): Summary {
  return { text: clipWords(redactSecrets(readText(message)), targetTokens, countTokens) }
}

/** The fields that all requests of one run have in common. */
function requestOf(
  { workingDirectory }: Conversation,
  { counter, instructions, signal, pause }: FulfilRun,
) {
  return {
    countTokens: (text: string) => counter.countText(text).upper,
    instructions,
    workingDirectory,
    signal,
    pause,
  }
}

async function ask({ summarizer, work }: FulfilRun, request: SummaryRequest): Promise<Summary> {
  let summary: Summary
  try {
    summary = checkSummary(await summarizer.summarize(request), summarizer, request)
  } catch (error) {
    // A summarizer that throws counts as one that gave nothing: it must not end the others, nor the
    // rungs after it.
    summary = { text: '', problems: [error instanceof Error ? error.message : String(error)] }
  }
  request.signal?.throwIfAborted()
  work.note(summarizer, summary)
  // Whatever precis puts into a conversation contains no secrets, whoever wrote it.
  return { ...summary, text: redactSecrets(summary.text) }
}

/** A summary with its problems: that it is empty is one. */
function checkSummary(
  summary: unknown,
  summarizer: Summarizer,
  { brief }: SummaryRequest,
): Summary {
  const { text, problems = [], ...rest } = readSummaryOf(summarizer, summary)
  const { name } = summarizer
  const isSilent =
    brief !== 'rewrite' && text.trim() === '' && problems.length === 0 && name !== digest().name
  return {
    ...rest,
    text,
    problems: isSilent ? [`Summarizing with "${name}": it gave no text.`] : problems,
  }
}
