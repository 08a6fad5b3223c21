import type { EndNotice } from '../conversation/host.ts'
import { hosts } from '../conversation/hosts.data.ts'
import { parseJson } from '../conversation/json-text.ts'
import { renderPart, type ToolCallPart, type ToolResultPart } from '../conversation/message.ts'
import { type Action, readToolCall, showsContent } from './tool-calls.ts'

/** How a tool call ended, and what it printed. Words that the harness adds are left out. */
export interface CallOutcome {
  readonly failed: boolean
  /** Undefined if the agent does not record it. */
  readonly exitCode?: number
  readonly text: string
  /** For a command that still runs: the id with which a later call asks about it. */
  readonly session?: string
}

type AskedAction = Pick<Action, 'kind' | 'command' | 'isJoint'>

const EXIT_CODE =
  /(?:Process exited with code|Exit code:?|exit code|exited with code|exit status) (-?\d{1,10})/
// A header comes before the output, and a tail after it. Anywhere else, an exit code is not the
// command's own.
const HEADER_LENGTH = 2_000

const frames = hosts.flatMap((host) => host.frame ?? [])

/** What the frame of any agent matches in the beginning of a result. */
function findIn(text: string, part: 'script' | 'session'): RegExpExecArray | undefined {
  for (const frame of frames) {
    const found = frame[part]?.exec(text)
    if (found) return found
  }
  return undefined
}

/** Where a host begins to tell that a command or an agent goes on in the background. */
export const findSession = (text: string): RegExpExecArray | undefined => findIn(text, 'session')

/** The id in such words before the output or after it. */
const readSession = (raw: string): string | undefined =>
  (findSession(raw.slice(0, HEADER_LENGTH)) ?? findSession(raw.slice(-HEADER_LENGTH)))?.[1]

/** How a call ended as a whole. Leaves out an exit code that may belong to another action. */
export function readOutcome(result: ToolResultPart, action?: AskedAction): CallOutcome {
  const told = readTold(result, action)
  const { exitCode, isError } = result
  return exitCode === undefined ? told : { ...told, exitCode, failed: isError || exitCode !== 0 }
}

/** Whether an action failed. A search that finds nothing did not, although `grep` ends with 1. */
export const isFailure = (
  action: Pick<Action, 'kind'> | undefined,
  { failed, exitCode }: Pick<CallOutcome, 'failed' | 'exitCode'>,
): boolean => failed && !(action?.kind === 'search' && exitCode === 1)

/** Whether a call failed, by the mark of its host or by its exit code. */
export function hasFailed(
  result: ToolResultPart,
  call: ToolCallPart | undefined,
  workingDirectory?: string,
): boolean {
  const action = call && readToolCall(call, workingDirectory)
  return isFailure(action, readOutcome(result, action))
}

function readTold(result: ToolResultPart, action?: AskedAction): CallOutcome {
  const raw = renderPart(result)
  const script = findIn(raw.slice(0, HEADER_LENGTH), 'script')
  if (!script) return readPrinted(raw, result.isError, action !== undefined && showsContent(action))
  const body = raw.slice(script[0].length).replace(/^\n/, '')
  const printed = action?.isJoint
    ? { failed: false, text: removeReminders(body) }
    : readPrinted(body, false, true)
  const failed =
    result.isError || printed.failed || script[1] === 'failed' || script[1] === 'terminated'
  return { ...printed, failed, session: script[2] ?? printed.session }
}

/** What the host tells of a command or an agent that ran in the background. */
export interface Notice {
  readonly session: string
  readonly outcome: CallOutcome
  /** Whether it did not end by itself. */
  readonly isStopped: boolean
}

const endNotices = [...new Set(hosts.flatMap(({ endNotice }) => endNotice ?? []))]
const ENDED = new Set(['completed', 'exited', 'finished', 'failed'])

/** Of those that ended, in a message in the role of the user. */
export const readNotices = (text: string): Notice[] =>
  endNotices.flatMap((host) =>
    text
      .split(host.opening)
      .slice(1)
      .flatMap((notice) => readNotice(host, notice)),
  )

function readNotice(host: EndNotice, notice: string): Notice[] {
  const head = notice.slice(0, HEADER_LENGTH)
  const [session, status, code] = [host.session, host.status, host.exitCode].map(
    (value) => value.exec(head)?.[1],
  )
  if (session === undefined || status === undefined) return []
  const exitCode = code === undefined ? undefined : Number(code)
  const isStopped = !ENDED.has(status)
  const failed = status === 'failed' || (!isStopped && (exitCode ?? 0) !== 0)
  const text = host.output ? readNoticeOutput(notice, host.output) : ''
  return [{ session, outcome: { failed, text, exitCode }, isStopped }]
}

function readNoticeOutput(notice: string, output: RegExp): string {
  const open = output.exec(notice)
  if (!open) return ''
  const start = open.index + open[0].length
  const end = notice.indexOf(`</${open[1]}>`, start)
  return removeReminders(
    notice
      .slice(start, end < 0 ? undefined : end)
      .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: keyof typeof SIGNS) => SIGNS[name]),
  )
}

const SIGNS = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

interface Reading {
  readonly actions: readonly AskedAction[]
  readonly outcomes: readonly CallOutcome[]
}

const readings = new WeakMap<ToolResultPart, Reading>()

/**
 * How each action of a call ended. If the result has one piece per action, each action gets its
 * piece. If not, the last action that writes nothing gets the whole text. If a patch was refused,
 * only the patch failed. Memoized by identity, as long as the actions are the same.
 */
export function readOutcomes(
  result: ToolResultPart,
  actions: readonly AskedAction[],
): readonly CallOutcome[] {
  const known = readings.get(result)
  const isSame = (action: AskedAction, index: number) => known?.actions[index] === action
  if (known?.actions.length === actions.length && actions.every(isSame)) return known.outcomes
  const outcomes = readNewOutcomes(result, actions)
  readings.set(result, { actions, outcomes })
  return outcomes
}

function readNewOutcomes(result: ToolResultPart, actions: readonly AskedAction[]): CallOutcome[] {
  const whole = readOutcome(result, actions[0])
  if (actions.length < 2) return [whole]
  const texts = result.output.map(renderPart)
  const [head = '', ...pieces] = texts
  const script = findIn(head, 'script')?.[0]
  if (texts.length === actions.length && script === undefined)
    return texts.map((text, index) =>
      readPrinted(text, result.isError, showsContent(actions[index]!)),
    )
  const isApart = pieces.length === actions.length && script?.trim() === head.trim()
  if (isApart && !whole.failed) return pieces.map((piece) => readPrinted(piece, false, true))
  const refusesPatch =
    /\bapply_patch\b/.test(whole.text) && actions.some(({ kind }) => kind === 'write')
  const speaker = Math.max(
    0,
    actions.findLastIndex(({ kind }) => kind !== 'write' && kind !== 'plan'),
  )
  return actions.map(({ kind }, index) => ({
    ...whole,
    failed: whole.failed && (!refusesPatch || kind === 'write'),
    text: index === speaker ? whole.text : '',
  }))
}

/**
 * `isContent`: the output is the content of files. An exit code then counts only in the frame of
 * the host.
 */
function readPrinted(raw: string, isError: boolean, isContent: boolean): CallOutcome {
  const wrapped = readWrapped(raw)
  if (wrapped) return { ...wrapped, failed: isError || wrapped.failed }
  const enclosed = readEnclosed(raw)
  if (enclosed) return { ...enclosed, failed: isError || enclosed.exitCode !== 0 }
  const head = raw.slice(0, HEADER_LENGTH)
  const outputStart = findFramed(head)
  const isFramed = outputStart >= 0
  const frame = isFramed ? head.slice(0, outputStart) : head
  const spoken = isFramed ? frame : isContent ? '' : head.split('\n', 2).join('\n')
  const code = EXIT_CODE.exec(spoken)?.[1]
  const exitCode = code === undefined ? undefined : Number(code)
  const unframed = isFramed ? raw.slice(outputStart + 'Output:\n'.length) : raw
  const failed = isError || (exitCode !== undefined && exitCode !== 0)
  const session = isFramed ? findSession(frame)?.[1] : isContent ? undefined : readSession(raw)
  return { failed, text: removeReminders(unframed), exitCode, session }
}

/** What a command printed, if lines before and after its output are the host's. */
function readEnclosed(raw: string): Pick<CallOutcome, 'text' | 'exitCode'> | undefined {
  for (const { around } of frames) {
    const before = around?.before.exec(raw.slice(0, HEADER_LENGTH))?.[0].length
    const after = before === undefined ? undefined : around?.after.exec(raw.slice(-HEADER_LENGTH))
    const end = raw.length - (after?.[0].length ?? 0)
    if (before === undefined || !after || after[0].trim() === '' || before > end) continue
    const code = Number(after[1] ?? 0)
    return {
      text: removeReminders(raw.slice(before, end)),
      // It is no number if a signal ended the command.
      exitCode: Number.isNaN(code) ? undefined : code,
    }
  }
  return undefined
}

/** Position of the `Output:` that ends a frame. -1 if there is none. */
function findFramed(head: string): number {
  const start = head.includes('Output:') ? head.search(/^Output:$/m) : -1
  const isFramed = start >= 0 && frames.some(({ header }) => header?.test(head.slice(0, start)))
  return isFramed ? start : -1
}

/** The text of a result, except the host's words: its frame and its reminders. */
export function withoutHostWords(text: string): string {
  const start = findFramed(text.slice(0, HEADER_LENGTH))
  return removeReminders(start >= 0 ? text.slice(start) : text)
}

/**
 * What a command printed, if the result is an object: `{"output":"…","metadata":{"exit_code":0}}`.
 * Scripts that print a whole result have `{"chunk_id":"…","exit_code":0,"output":"…"}`, with a
 * `session_id` while the command runs.
 */
function readWrapped(raw: string): CallOutcome | undefined {
  const isWrapped =
    raw.startsWith('{"output":') ||
    (raw.startsWith('{"') && /"(?:exit_code|session_id)":/.test(raw))
  const value = isWrapped ? parseJson(raw) : undefined
  if (typeof value !== 'object' || value === null || !('output' in value)) return undefined
  const { output } = value
  if (typeof output !== 'string') return undefined
  const metadata = 'metadata' in value ? value.metadata : value
  const hasCode = typeof metadata === 'object' && metadata !== null && 'exit_code' in metadata
  const exitCode =
    hasCode && typeof metadata.exit_code === 'number' ? metadata.exit_code : undefined
  const session = exitCode === undefined && 'session_id' in value ? value.session_id : undefined
  const isId = typeof session === 'number' || typeof session === 'string'
  return {
    failed: (exitCode ?? 0) !== 0,
    text: output,
    exitCode,
    session: isId ? String(session) : undefined,
  }
}

const reminders = hosts.flatMap((host) => host.resultWrappers ?? [])

/** Removes the reminders that a host puts into results, which are only for the moment. */
export function removeReminders(text: string): string {
  return reminders.reduce(removeElements, text)
}

function removeElements(text: string, name: string): string {
  const [opening, closing] = [`<${name}>`, `</${name}>`]
  if (!text.includes(opening)) return text
  const kept: string[] = []
  let position = 0
  for (;;) {
    const start = text.indexOf(opening, position)
    const end = start < 0 ? -1 : text.indexOf(closing, start)
    if (end < 0) break
    kept.push(text.slice(position, start))
    position = end + closing.length
  }
  kept.push(text.slice(position))
  return kept.join('')
}

const FAILURE =
  /^[\s<[(*]{0,8}(?:tool_use_error|error|failed|failure|cannot|could not|unable|no match|invalid|traceback|string to replace not found|file (?:not found|does not exist)|enoent)\b/i
const NOT_WRITTEN =
  /\b(?:not found|no match|did not match|no changes|not applied|rejected|refused|denied|interrupted|aborted|cancell?ed)\b/i
const FIRST_WORDS = 200

/**
 * Whether the first words of a result report a failed call, for protocols that cannot mark errors.
 */
export const opensWithFailure = (output: string): boolean =>
  FAILURE.test(output.slice(0, FIRST_WORDS))

/** Whether the result of a write reports that nothing was written. */
export const saysNotWritten = (output: string): boolean =>
  NOT_WRITTEN.test(output.slice(0, FIRST_WORDS))
