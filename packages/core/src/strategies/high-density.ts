import { aFlag, aNumber, checkOptions } from '../conversation/check-options.ts'
import { renderInput } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { clipLine } from '../text/clip-line.ts'
import {
  type Clearing,
  clearBy,
  clearResult,
  createPartSizes,
  findOpenAnswer,
  findResult,
  weighPart,
} from './clearing.ts'
import { LONGEST_STUB, renderStub, textPart } from './clip-text.ts'
import type { CallView, Strategy, StrategyView } from './strategy.ts'

export interface HighDensityOptions {
  /**
   * How many results of each tool stay, the newest ones. `Infinity` clears no result for its age. 3
   * by default (llxprt-code).
   */
  readonly keepResults?: number
  /** Whether reads are cleared if a later write changed all of their files. True by default. */
  readonly clearsStaleReads?: boolean
  /**
   * Whether results and inclusions of files are cleared if they are repeated later. True by
   * default.
   */
  readonly clearsDuplicates?: boolean
}

const KINDS = { keepResults: aNumber, clearsStaleReads: aFlag, clearsDuplicates: aFlag }

/**
 * Clears text that is repeated later or no longer true, as far as needed, in three steps with the
 * oldest first. The first step is repeated results and inclusions, which lose nothing. The second
 * is reads that a later write made stale. The third is results beyond the newest of their tool.
 * Source: llxprt-code, whose version counts a failed write as a write. Throws `RangeError` if
 * `keepResults` is not a valid count.
 */
export function createHighDensity(options: HighDensityOptions = {}): Strategy {
  checkOptions('Creating high-density', options, KINDS)
  const { keepResults = 3, clearsStaleReads = true, clearsDuplicates = true } = options
  return {
    name: 'high-density',
    summarizes: false,
    ...clearBy((view) => findClearings(view, { keepResults, clearsStaleReads, clearsDuplicates })),
  }
}

/** With a floor of three results of each tool. */
export const highDensity = createHighDensity()

function* findClearings(
  view: StrategyView,
  options: Required<HighDensityOptions>,
): Generator<Clearing> {
  const { keepResults, clearsStaleReads, clearsDuplicates } = options
  const sizes = createPartSizes(view)
  const end = findOpenAnswer(view)
  const left = new Set(view.calls.filter((call) => call.message < end && isLong(view, call)))
  const clear = function* (
    calls: Iterable<CallView>,
    reason: (call: CallView) => string,
  ): Generator<Clearing> {
    for (const call of calls) {
      if (!left.delete(call)) continue
      const clearing = clearResult(view, sizes, call, [textPart(renderStub(call, reason(call)))])
      if (clearing) yield clearing
    }
  }
  if (clearsDuplicates) {
    const duplicates = findDuplicateResults(view)
    yield* clear(duplicates.keys(), (call) => duplicates.get(call) ?? '')
    yield* findRepeatedInclusions(view, end)
  }
  if (clearsStaleReads) yield* clear(findStaleReads(view.calls), () => 'superseded by a later edit')
  yield* clear(
    findBeyondNewest([...left], keepResults),
    () => 'cleared, newer results of this tool follow',
  )
}

/**
 * Whether it is longer than any stub, which would save little of a shorter one, and may be it
 * already.
 */
function isLong(view: StrategyView, call: CallView): boolean {
  const output = findResult(view, call)?.output ?? []
  return output.reduce((sum, part) => sum + weighPart(part), 0) > LONGEST_STUB
}

/** Calls with more than `keepResults` newer ones of their tool after them, in order. */
function findBeyondNewest(calls: readonly CallView[], keepResults: number): CallView[] {
  const counts = new Map<string, number>()
  const beyond = calls.toReversed().filter(({ name }) => {
    const newer = counts.get(name) ?? 0
    counts.set(name, newer + 1)
    return newer >= keepResults
  })
  return beyond.reverse()
}

/** Calls whose result a later one repeats, with what to say of them. */
function findDuplicateResults(view: StrategyView): Map<CallView, string> {
  const outputs = new Set<string>()
  const reads = new Set<string>()
  const found: [CallView, string][] = []
  for (const call of view.calls.toReversed()) {
    const text = isText(view, call) ? call.output : undefined
    // A short one may be the stub of one that was cleared: it repeats nothing.
    if (text === undefined || text.length <= LONGEST_STUB) continue
    const output = `${call.name} ${call.exitCode ?? ''}\n${text}`
    if (outputs.has(output)) found.push([call, 'same output as a later call'])
    outputs.add(output)
    // The file may have changed between two reads of it. The later read has its current content.
    if (!isReadOfFiles(call) || call.isPartial || call.failed) continue
    // All arguments count, not only the paths, because a directory or a filter may make it another
    // read.
    const read = `${call.name}\n${renderAsked(view, call)}`
    if (reads.has(read)) found.push([call, 'read again later'])
    reads.add(read)
  }
  // Both may apply to a result. The first reason counts.
  return new Map(found.reverse())
}

function renderAsked(view: StrategyView, { message, part }: CallView): string {
  const call = view.conversation.messages[message]?.parts[part]
  return call?.type === 'tool-call' ? renderInput(call.input) : ''
}

/** Whether there is a result, and nothing but text in it. */
function isText(view: StrategyView, call: CallView): boolean {
  return findResult(view, call)?.output.every(({ type }) => type === 'text') ?? false
}

/** A file that a host put into a message of the user, between two marks on lines of their own. */
interface Inclusion {
  readonly start: number
  /** After the closing mark, its line break not included. */
  readonly end: number
  readonly path: string
}

const OPENING = /^--- (\S[^\n]{0,400}?) ---$/
const CLOSING = '--- End of content ---'

/**
 * Inclusions of a file that a later one repeats verbatim, message by message from the oldest on.
 */
function findRepeatedInclusions(view: StrategyView, end: number): Clearing[] {
  const seen = new Set<string>()
  const clearings: Clearing[] = []
  const { messages } = view.conversation
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!
    if (message.role !== 'user' || isSummary(message)) continue
    for (let place = message.parts.length - 1; place >= 0; place--) {
      const part = message.parts[place]!
      if (part.type !== 'text' || !part.text.includes(CLOSING)) continue
      const repeated = findInclusions(part.text)
        .reverse()
        .filter((inclusion) => {
          const content = part.text.slice(inclusion.start, inclusion.end)
          return seen.size === seen.add(content).size
        })
      // The last request stays as it was given. Files that it includes count as the newest.
      if (repeated.length === 0 || index === view.lastUserRequest || index >= end) continue
      const text = cutInclusions(part.text, repeated.reverse())
      const freedTokens = view.countTokens(part.text) - view.countTokens(text)
      clearings.push({
        changes: [{ message: index, part: place, becomes: [{ ...part, text }] }],
        freedTokens,
      })
    }
  }
  return clearings.reverse()
}

/** Pairs of marks in order. A mark without its partner is ordinary text. */
function findInclusions(text: string): Inclusion[] {
  const inclusions: Inclusion[] = []
  let open: Pick<Inclusion, 'start' | 'path'> | undefined
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    const path = line.length <= 420 ? OPENING.exec(line)?.[1] : undefined
    if (line === CLOSING) {
      if (open) inclusions.push({ ...open, end })
      open = undefined
    } else if (path !== undefined) open = { start, path }
    start = end + 1
  }
  return inclusions
}

function cutInclusions(text: string, inclusions: readonly Inclusion[]): string {
  const pieces: string[] = []
  let position = 0
  for (const { start, end, path } of inclusions) {
    pieces.push(text.slice(position, start), `[file ${clipLine(path, 100)}: included again later]`)
    position = end
  }
  pieces.push(text.slice(position))
  return pieces.join('')
}

/**
 * Reads of files that were all written again later, in order. A write that failed or still waits
 * changes nothing.
 */
function findStaleReads(calls: readonly CallView[]): CallView[] {
  const written = new Set<string>()
  const stale = calls.toReversed().filter((call) => {
    if ((call.kind === 'write' || call.kind === 'command') && call.failed === false)
      for (const path of call.paths) written.add(path)
    return isReadOfFiles(call) && call.paths.every((path) => written.has(path))
  })
  return stale.reverse()
}

function isReadOfFiles({ kind, paths }: CallView): boolean {
  return kind === 'read' && paths.length > 0 && !paths.some((path) => /[*?]/.test(path))
}
