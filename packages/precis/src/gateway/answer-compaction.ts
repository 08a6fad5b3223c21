/**
 * Answers an agent's own request to compact, without a model:
 *
 *   request ─► messages, with earlier answers restored ─► summary ─► archive ─► answer
 */
import { createHash, hash } from 'node:crypto'
import {
  type Compression,
  type Conversation,
  findModel,
  type Message,
  type Part,
  type RecallPath,
  type TokenCounter,
} from '@precis/core'
import { type ApiEvent, apis, type TextAnswer } from '@precis/core/apis'
import { isUserRequest, readSummary, readText } from '@precis/core/conversation'
import { countModelSummary, withoutRecall } from '@precis/core/engine'
import { withoutRepeatedWords } from '@precis/core/facts'
import { formats } from '@precis/core/formats'
import { compactHistory, countCompaction } from '@precis/core/hosts'
import { loadTokenCounter } from '@precis/core/tokens'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import type { CompactionRequest, WireRequest } from '../agents/shared/wire.ts'
import { keepDocument, withoutFacts } from '../compression/keep-original.ts'
import { findRestoredSummary } from '../compression/restore-summary.ts'
import { DatabaseError, nameFailure, reasonOf } from '../files/errors.ts'
import { asObject, type JsonObject } from '../files/lines.ts'
import { createMemorySource } from '../files/read-document.ts'
import { findRecallTool, REFERENCE_DIGITS } from '../installation/recall-tool.ts'
import { NO_DAMAGE } from '../sessions/load-session.ts'
import type { ActHost } from './act-host.ts'
import {
  type ApiRequest,
  hasAmazonEvents,
  readApiRequest,
  renderAmazonEvents,
  renderEvents,
} from './api-request.ts'
import type { ActRecord, ActRequest, ActResult } from './gateway.ts'
import { nameOriginal } from './owner.ts'
import { PATIENCE_MS } from './patience.ts'
import { restoreMessage } from './restore-messages.ts'

export interface RecognisedCompaction {
  readonly agent: Agent
  readonly compaction: CompactionRequest
}

/** Undefined if no agent sends such a request. */
export function recogniseCompaction(
  request: ActRequest,
  body: JsonObject,
): RecognisedCompaction | undefined {
  const { api, path, headers } = request
  const asked: WireRequest = { api, path, headers, body }
  for (const agent of agents) {
    const compaction = agent.wire?.readCompaction(asked)
    if (compaction) return { agent, compaction }
  }
  return undefined
}

/** Passes with a reason if there is nothing to summarize, or no summary is shorter. */
export async function answerCompaction(
  request: ActRequest,
  body: ApiRequest,
  recognised: RecognisedCompaction,
  host: ActHost,
): Promise<ActResult> {
  const begin = performance.now()
  const { compaction } = recognised
  const { model } = body.request
  const counter = await loadTokenCounter(withWindow(findModel(model), request.windowTokens))
  const tokensBefore = counter.countConversation(parse(request, body.json)).upper
  const counting = { counter, tokensBefore, until: begin + MOST_WRITE_MS }
  const made = await (compaction.repeated === undefined
    ? summarize(request, body, recognised, counting, host)
    : repeatSummary(compaction.repeated, recognised, counting, host))
  if ('type' in made) return made
  const { text, tokensAfter, archived, facts } = made
  const id = createHash('sha256').update(text).update(request.body).digest('hex').slice(0, 24)
  const answer = {
    text: compaction.wrapSummary(text),
    model,
    id,
    time: Math.floor(Date.now() / 1000),
    usage: { inputTokens: tokensBefore, outputTokens: tokensAfter },
  }
  return {
    type: 'answer',
    ...renderAnswer(request, body, answer, compaction),
    record: {
      act: 'answer',
      time: Date.now(),
      milliseconds: performance.now() - begin,
      model,
      tokensBefore,
      tokensAfter,
      archived,
      ...(facts && { facts }),
    },
  }
}

/** A summary, or why there is none. */
type AnsweredSummary =
  | (Pick<ActRecord, 'tokensAfter' | 'archived' | 'facts'> & { readonly text: string })
  | Extract<ActResult, { readonly type: 'pass' }>

const refuse = (problem?: string): AnsweredSummary => ({ type: 'pass', reason: 'refused', problem })

interface Counting {
  readonly counter: TokenCounter
  readonly tokensBefore: number
  /** When the agent must not wait for a database any longer, on the clock of `performance`. */
  readonly until: number
}

/** For an agent that asks for its last summary again. */
async function repeatSummary(
  repeated: string,
  { agent }: RecognisedCompaction,
  { counter }: Counting,
  host: ActHost,
): Promise<AnsweredSummary> {
  const text = agent.wire?.unwrapSummary(repeated) ?? repeated
  // A summary that precis did not write is left to its model.
  if (!(await host.knowsSummary(text))) return refuse()
  return { text, tokensAfter: counter.countText(text).upper }
}

async function summarize(
  request: ActRequest,
  body: ApiRequest,
  { agent, compaction }: RecognisedCompaction,
  { counter, tokensBefore, until }: Counting,
  host: ActHost,
): Promise<AnsweredSummary> {
  const count = (conversation: Conversation) => counter.countConversation(conversation).upper
  const found = await findMessages(request, body, compaction, host)
  if (!found) return refuse('the requests of this session before it are not known')
  const { sent, parsed, newest } = found
  const document = sent.cutMessages()
  const restored = await restoreSummary(parsed, agent, host)
  const messages = [...restored.messages]
  if (newest !== '')
    messages.push({ role: 'assistant', origin: 'agent', parts: [{ type: 'text', text: newest }] })
  const conversation = { ...restored, messages }
  // The size of what is summarized. A request with the history as text is shorter than that.
  const size = compaction.messages === 'session' ? count(parse(request, sent.json)) : tokensBefore
  const compacted = await compactHistory(conversation, {
    counter,
    keeps: 'nothing',
    budgetTokens: countModelSummary(size, counter.model),
    instructions: compaction.instructions,
    recall: host.archive && findRecall(agent, request, document),
    isKept: host.archive !== undefined,
  })
  if (compacted.type === 'left') return refuse(compacted.reason)
  const { compression: compressed } = compacted
  const archived = await keep(request, conversation, document, compressed, host)
  const result =
    archived === undefined ? withoutRecall(compressed).conversation : compressed.conversation
  // Messages that only make roles alternate belong into a history, not into an answer.
  const text = readText(
    result.messages.find((message) => readSummary(message) !== undefined) ?? nothing(),
  )
  await rememberSummary(text, host, until)
  const { facts } = countCompaction(compacted)
  return {
    text,
    tokensAfter: count(result),
    archived,
    facts: { kept: facts.kept, before: facts.total },
  }
}

// Half of what the agent waits for a compaction. A model takes longer.
const MOST_WRITE_MS = PATIENCE_MS / 2

/**
 * Waits for another process that writes, but not for what fails otherwise. The summary is whole
 * without it, and comes back as words of the agent if it is not known.
 */
async function rememberSummary(text: string, host: ActHost, until: number): Promise<void> {
  for (;;) {
    try {
      return await host.rememberSummary(text)
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.code === 'busy'
      if (!isBusy || performance.now() > until)
        return host.note(`a summary will not be known when it comes back: ${nameFailure(error)}`)
    }
  }
}

function nothing(): never {
  throw new TypeError('Answering a compaction: its result has no summary.')
}

const parse = ({ api }: ActRequest, body: JsonObject): Conversation => formats[api].parse(body)

interface FoundMessages {
  readonly sent: ApiRequest
  /** What the summary replaces. */
  readonly parsed: Conversation
  /** Text of the model after it. */
  readonly newest: string
}

async function findMessages(
  request: ActRequest,
  body: ApiRequest,
  { messages, placeHistory }: CompactionRequest,
  host: ActHost,
): Promise<FoundMessages | undefined> {
  const read = (sent: ApiRequest) => {
    const { model } = body.request
    return parse(request, { [apis[request.api].listKey]: sent.request.messages, model })
  }
  if (messages === 'session') {
    const bytes = await host.readNewestRequest(request.owner)
    const sent = bytes && readApiRequest(bytes, request)
    const parsed = sent && read(sent)
    const placed = parsed && placeHistory?.(parsed.messages)
    if (!placed) return undefined
    const kept = parsed.messages.findIndex(
      (message, index) => index > placed.last && beginsStep(message),
    )
    return kept < 0
      ? { sent, parsed, newest: placed.newest }
      : { sent, parsed: { ...parsed, messages: parsed.messages.slice(0, kept) }, newest: '' }
  }
  const sent = readApiRequest(body.replaceMessages(messages.map(restoreMessage)), request)
  return sent && { sent, parsed: read(sent), newest: '' }
}

const beginsStep = ({ role, parts }: Message): boolean =>
  role === 'user' || parts.some(({ type }: Part) => type === 'tool-call')

/**
 * Reads a summary that comes back inside words of the agent as a summary, so that its ledger is
 * kept. It contains everything before it, except words of the user that the agent kept whole. It
 * may contain some of what follows.
 */
async function restoreSummary(
  conversation: Conversation,
  agent: Agent,
  host: ActHost,
): Promise<Conversation> {
  const { messages } = conversation
  const restored = await findRestoredSummary(conversation, agent, (text) => host.knowsSummary(text))
  if (!restored) return conversation
  const { place } = restored
  const typed = agent.wire?.summaryMarks ? messages.slice(0, place).filter(isUserRequest) : []
  const newest = withoutRepeatedWords([...restored.messages, ...messages.slice(place + 1)])
  return { ...conversation, messages: [...typed, ...newest] }
}

function withWindow<Model extends { readonly contextWindowTokens: number }>(
  model: Model,
  windowTokens: number | undefined,
) {
  return windowTokens === undefined ? model : { ...model, contextWindowTokens: windowTokens }
}

/**
 * How the model searches removed text: the tool in the request, or the tool that was added to its
 * agent here.
 */
function findRecall(
  agent: Agent,
  { recallTool }: ActRequest,
  document: Uint8Array,
): RecallPath | undefined {
  const tool = recallTool ?? findRecallTool(agent)?.toolName
  const reference = hash('sha256', document).slice(0, REFERENCE_DIGITS)
  return tool === undefined ? undefined : { tool, reference }
}

/** The name of the entry. Undefined if nothing is kept. That must not prevent an answer. */
async function keep(
  { api, owner }: ActRequest,
  conversation: Conversation,
  document: Uint8Array,
  { report }: Compression,
  { archive, note }: ActHost,
): Promise<string | undefined> {
  if (!archive) return undefined
  try {
    const stored = await keepDocument(
      {
        source: createMemorySource(Buffer.from(document)),
        format: api,
        sessionId: nameOriginal(owner),
        path: undefined,
        conversation,
        damage: NO_DAMAGE,
        report: { ...withoutFacts(report), by: 'gateway' },
      },
      archive,
    )
    return stored.name
  } catch (error) {
    note(`the original of a compaction is not in the archive: ${reasonOf(error)}`)
    return undefined
  }
}

function renderAnswer(
  { api: name, path }: ActRequest,
  { isStreamed, isInner }: ApiRequest,
  answer: TextAnswer,
  compaction: CompactionRequest,
): { readonly contentType: string; readonly body: Uint8Array } {
  const api = apis[name]
  const { body, events } = compaction.createAnswer?.(answer) ?? {
    body: api.createAnswer(answer),
    events: api.createEvents(answer),
  }
  const wrap = (data: JsonObject) => (isInner ? { response: data } : data)
  if (!isStreamed) return { contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(wrap(body))) }
  const wrapped = events.map(({ data, ...event }): ApiEvent => {
    const object = asObject(data)
    return { ...event, data: object ? wrap(object) : data }
  })
  if (hasAmazonEvents(path)) return { contentType: AMAZON_TYPE, body: renderAmazonEvents(wrapped) }
  // Google's API streams a JSON list unless the request asks for events.
  if (name === 'gemini-contents' && !/[?&]alt=sse\b/.test(path)) {
    return {
      contentType: JSON_TYPE,
      body: Buffer.from(JSON.stringify(wrapped.map(({ data }) => data))),
    }
  }
  return { contentType: 'text/event-stream; charset=utf-8', body: renderEvents(wrapped) }
}

const JSON_TYPE = 'application/json'
const AMAZON_TYPE = 'application/vnd.amazon.eventstream'
