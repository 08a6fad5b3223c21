import { isFailure, opensWithFailure, readOutcome, saysNotWritten } from '../actions/outcome.ts'
import { relativePath } from '../actions/paths.ts'
import { type Action, isReadingTool, readToolCall, showsContent } from '../actions/tool-calls.ts'
import { findTorn } from '../conversation/bonds.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import { ACKNOWLEDGEMENT, REMOVAL_NOTICE } from '../conversation/injected-text.ts'
import { findCallPairs, type ResultSite } from '../conversation/invariants/call-pairs.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Violation } from '../conversation/invariants/invariant.ts'
import { parseJson } from '../conversation/json-text.ts'
import {
  type Conversation,
  type Message,
  type Part,
  readText,
  type ToolCallPart,
  type ToolResultPart,
} from '../conversation/message.ts'
import { partKindOf } from '../conversation/read-ties.ts'
import { isSummary, readSummary } from '../conversation/summary-message.ts'
import { findAsked, findLastUserRequest, findTurns } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { CallView, Strategy, StrategyView } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { countMessageBytes } from './limits.ts'

/**
 * Makes the view that strategies get. Each message is counted once, by its upper bound. Calls and
 * bytes are read only on request. With `isOpenFree`, results that the agent has not seen yet may be
 * removed like any others, because a summary after them says that they are older.
 */
export function createView(
  conversation: Conversation,
  counter: TokenCounter,
  isOpenFree = false,
): StrategyView {
  const { messages } = conversation
  const cutPoints = findCutPoints(messages)
  const isFree = isOpenFree || messages.findLastIndex(isSummary) > (cutPoints.openStart ?? Infinity)
  const readCalls = once(() => findCallViews(conversation))
  const sumBytes = once(() => addUp(messages, countMessageBytes))
  return {
    conversation,
    turns: findTurns(messages),
    cutPoints: isFree ? { ...cutPoints, openStart: cutPoints.pendingStart } : cutPoints,
    tokensBefore: addUp(messages, (message) => counter.countMessage(message).upper),
    fixedTokens: counter.countFixed(conversation).upper,
    countTokens: (text) => counter.countText(text).upper,
    lastUserRequest: findLastUserRequest(messages),
    asked: findAsked(messages),
    get calls() {
      return readCalls()
    },
    get bytesBefore() {
      return sumBytes()
    },
  }
}

/** Computes a value when it is first asked for. */
export function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

function addUp(messages: readonly Message[], measure: (message: Message) => number): number[] {
  const sums = [0]
  for (const message of messages) sums.push(sums.at(-1)! + measure(message))
  return sums
}

type ViewReading = Pick<CallView, 'kind' | 'paths' | 'command' | 'isPartial'>

/**
 * Every call with its result, in order of the messages. Linear: each call and each result is read
 * once.
 */
export function findCallViews({ messages, workingDirectory }: Conversation): CallView[] {
  const pairs = findCallPairs(messages)
  const results = new Map<ToolCallPart, ResultSite>()
  for (const site of pairs.results) if (site.call) results.set(site.call.part, site)
  const places = new Map<Part, number>()
  for (const { message, part } of pairs.results) {
    if (places.has(part)) continue
    for (const [place, sibling] of messages[message]?.parts.entries() ?? [])
      places.set(sibling, place)
  }
  return messages.flatMap(({ parts }: { readonly parts: readonly Part[] }, message) =>
    parts.flatMap((part, place): CallView[] => {
      if (part.type !== 'tool-call') return []
      const { callId, name } = part
      const site = results.get(part)
      const resultPart = site && places.get(site.part)
      const reading = readCall(part, workingDirectory)
      const result = readResult(site?.part, readToolCall(part, workingDirectory))
      const resultMessage = resultPart === undefined ? undefined : site?.message
      return [
        { message, part: place, callId, name, ...reading, ...result, resultMessage, resultPart },
      ]
    }),
  )
}

function readCall(call: ToolCallPart, workingDirectory: string | undefined): ViewReading {
  const { kind, paths, command: given } = readToolCall(call, workingDirectory)
  // A stub may quote it, so secrets are removed.
  const command = given === undefined ? undefined : redactSecrets(given)
  if (command !== undefined)
    return kind === 'read'
      ? readShellRead(paths, command)
      : { kind, paths, command, isPartial: false }
  const input = typeof call.input === 'string' ? parseJson(call.input) : call.input
  const fields = new Map<string, unknown>(
    typeof input === 'object' && input !== null ? Object.entries(input) : [],
  )
  const isPartial = kind === 'read' && [...fields].some(([name, value]) => isRange(name, value))
  const listed =
    paths.length > 0 ? [] : readPathList(fields).map((path) => relativePath(path, workingDirectory))
  const all = listed.length > 0 ? listed : paths
  if (listed.length > 0 && kind === 'other') return { kind: 'read', paths: all, isPartial }
  return {
    kind: kind === 'read' && !isReadingTool(call.name) ? 'other' : kind,
    paths: all,
    isPartial,
  }
}

/** Tools that read several files name them in a list. */
function readPathList(fields: ReadonlyMap<string, unknown>): string[] {
  for (const name of ['paths', 'files', 'file_paths', 'include']) {
    const list = fields.get(name)
    if (Array.isArray(list)) return list.filter((path) => typeof path === 'string' && path !== '')
  }
  return []
}

const RANGE_FIELD =
  /^(?:offset|limit|start|end|head|tail|lines?|range|pages?|view_?range|(?:start|end|from|to)_?lines?(?:_.{0,40})?|line_?(?:start|end|range|count|limit).{0,40}|max_?lines)$/i

function isRange(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  // Counting lines from 0 or 1, a read from there on is a read of it all.
  return (
    RANGE_FIELD.test(name) && !(/^(?:offset|start)/i.test(name) && (value === 0 || value === 1))
  )
}

const FILTERS = new Set(['head', 'tail', 'sed', 'nl', 'cat'])

/**
 * A command that shows files is a read only when it does nothing else: `cat a && npm test` prints
 * more than `a`.
 */
function readShellRead(paths: readonly string[], command: string): ViewReading {
  const script = command.trim().replace(/^cd [^\s;&|]{1,400} ?&& ?/, '')
  const programs = script.split('|').map((step) => step.trimStart().split(' ', 1)[0] ?? '')
  const isPure = !/[;&<>`\n]|\$\(/.test(script) && programs.every((program) => FILTERS.has(program))
  const isPartial = !programs.every((program) => program === 'cat' || program === 'nl')
  return isPure
    ? { kind: 'read', paths, command, isPartial }
    : { kind: 'command', paths: [], command, isPartial: false }
}

type Result = Pick<CallView, 'failed' | 'exitCode' | 'output'>

function readResult(result: ToolResultPart | undefined, action: Action): Result {
  if (!result) return { failed: undefined }
  const isContent = showsContent(action)
  const outcome = readOutcome(result, action)
  const { exitCode, text } = outcome
  // The content of a file may begin with any words.
  const saysSo =
    !isContent && (opensWithFailure(text) || (action.kind === 'write' && saysNotWritten(text)))
  const failed = isFailure(action, outcome) || (exitCode === undefined && saysSo)
  return { failed, output: text, exitCode }
}

/**
 * Results are asserted, never repaired: what breaks a rule, or parts what belongs together, is a
 * bug of the strategy. Throws an `Error` that names it.
 */
export function assertValid(
  result: Conversation,
  { name }: Pick<Strategy, 'name'>,
  given: Conversation,
  [violation]: readonly Violation[] = checkInvariants(result),
): void {
  const torn = violation ?? findTorn(given.messages, result.messages)
  if (!torn) return
  const fault =
    'rule' in torn
      ? `breaks ${torn.rule} (${torn.detail})`
      : `has ${partKindOf(torn.part)} without what belongs to it`
  throw new Error(
    `Checking the plan of "${name}": message ${torn.message} ${fault}. This is a bug of the strategy; nothing was changed.`,
  )
}

/** Whether a message of the history is left, or a summary of it. A ledger is neither. */
export function holdsHistory({ messages }: Conversation): boolean {
  return messages.some((message) => {
    if (message.role === 'system' || message.parts.length === 0) return false
    return isSummary(message) ? readSummary(message) !== '' : !isBridge(message)
  })
}

/**
 * Whether there is a result, and the last request of the user, if any, is in it as it was, with what
 * the user showed.
 */
export function keepsRequest(
  { messages }: Conversation,
  result: Conversation | undefined,
): boolean {
  return (
    result !== undefined &&
    findAsked(messages).every((index) => result.messages.includes(messages[index]!))
  )
}

/** Whether it is a text that precis put between messages so that roles take turns. */
function isBridge(message: Message): boolean {
  const text = message.origin === 'synthetic' ? readText(message) : ''
  return text === ACKNOWLEDGEMENT || text === REMOVAL_NOTICE
}
