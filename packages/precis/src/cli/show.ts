import { isUserRequest } from '@precis/core/conversation'
import { type Command, InvalidArgumentError } from 'commander'
import { assertWritable } from '../compression/destination.ts'
import { shortenHome } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { readSessionCompactions, type SessionCompaction } from '../sessions/compactions.ts'
import { type LoadedSession, STANDARD_INPUT, toDamageJson } from '../sessions/load-session.ts'
import { readTimeline } from '../sessions/read-timeline.ts'
import {
  type Colors,
  neutralizeLine,
  renderBytes,
  renderPlural,
  renderPreview,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrongUsage } from './failure.ts'
import {
  type EntryStyle,
  renderCompaction,
  renderEntry,
  renderLine,
  renderTurn,
  type SessionEntry,
  type ShownResult,
} from './render-session.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
  withSession,
} from './session-argument.ts'

interface ShowFlags extends FormatFlags {
  readonly record?: number
  readonly all?: boolean
  readonly out?: string
  readonly json?: boolean
}

export function defineShow(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .argument(
      '[turn]',
      'one turn instead of all: its number, from 1; 0 is what comes before the first request',
      parseNumber,
    )
    .description(
      'Shows what was said in a session as Markdown: turn by turn, who said it and when, calls with the beginning of their results, summaries and compactions in their place. Secrets are replaced.',
    )
    .option(
      '--record <n>',
      'one record in full: the number that is printed beside it, or that a search named',
      parseNumber,
    )
    .option('-a, --all', 'results, arguments, thoughts and injected texts in full')
    .option('-o, --out <file>', 'write it to this file')
    .addOption(createFormatOption())
  addJsonOption(command)
    .addHelpText('after', SHOW_HELP)
    .action((name: string, turn: number | undefined, flags: ShowFlags) =>
      show(name, turn, flags, terminal),
    )
}

function parseNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number.')
}

async function show(
  name: string,
  turn: number | undefined,
  flags: ShowFlags,
  terminal: Terminal,
): Promise<void> {
  const { record } = flags
  if (turn !== undefined && flags.record !== undefined)
    throw wrongUsage('Give a turn or --record, not both.')
  const out = flags.out === STANDARD_INPUT ? undefined : flags.out
  terminal.progress.show('reading', 0.2)
  await withSession(name, flags, terminal, async (session) => {
    if (out !== undefined) assertWritable(out, session)
    const { entries, style } = readEntries(session, flags)
    const chosen = choose(name, entries, turn, flags.record)
    const heading =
      turn === undefined && flags.record === undefined ? [renderHeading(session, entries)] : []
    terminal.progress.clear()
    if (flags.json && out === undefined) return terminal.printJson(toJson(session, chosen, style))
    const compactions = record === undefined ? readCompactions(session, chosen) : []
    const lines = renderAll(heading, chosen, { ...style, compactions })
    if (out === undefined) return void (await terminal.printBytes(encode(lines, terminal.colors)))
    const bytes = await writeFileAtomically(out, encode(lines))
    if (flags.json) terminal.printJson({ output: out, bytes, ...toDamageJson(session) })
    else terminal.note(`Wrote ${renderBytes(bytes)} to ${neutralizeLine(out)}`)
  })
}

function readEntries(session: LoadedSession, { all = false, record }: ShowFlags) {
  const { timed } = readTimeline(session)
  const results = new Map<string, ShownResult>()
  const calls = new Set<string>()
  for (const { message, records } of timed) {
    for (const part of message.parts) {
      if (part.type === 'tool-call') calls.add(part.callId)
      // Ids that occur twice are told apart by nothing: the first result stays.
      if (part.type !== 'tool-result' || !calls.has(part.callId) || results.has(part.callId))
        continue
      results.set(part.callId, { part, record: toNumbers(records)[0] })
    }
  }
  let turn = 0
  const entries = timed.map(({ message, timeMs, records }): SessionEntry => {
    const isRequest = isUserRequest(message)
    if (isRequest) turn++
    return { turn, isRequest, message, timeMs, records: toNumbers(records) }
  })
  // Of one record the result stands by itself.
  const style: EntryStyle =
    record === undefined ? { isWhole: all, results } : { isWhole: true, results: new Map() }
  return { entries, style }
}

const toNumbers = (records: readonly number[]): number[] => records.map((record) => record + 1)

function choose(
  name: string,
  entries: readonly SessionEntry[],
  turn: number | undefined,
  record: number | undefined,
): readonly SessionEntry[] {
  if (turn === undefined && record === undefined) return entries
  const chosen = entries.filter((entry) =>
    turn === undefined ? entry.records.includes(record ?? 0) : entry.turn === turn,
  )
  if (chosen.length > 0) return chosen
  if (turn === undefined) {
    throw wrongUsage(
      `Showing "${name}": record ${record} holds no message. "precis show" prints the numbers of those that do.`,
    )
  }
  throw wrongUsage(
    `Showing "${name}": there is no turn ${turn}; it has ${renderPlural(entries.at(-1)?.turn ?? 0, 'turn')}.`,
  )
}

const LONGEST_TITLE = 100

function renderHeading(
  { head, agent, format, conversation, name }: LoadedSession,
  entries: readonly SessionEntry[],
): string {
  const directory = conversation.workingDirectory ?? head?.workingDirectory
  const facts = [
    agent?.title ?? format.name,
    head?.sessionId,
    conversation.model,
    directory && shortenHome(directory),
    renderPlural(entries.at(-1)?.turn ?? 0, 'turn'),
    renderPlural(entries.length, 'message'),
  ].flatMap((fact) => (fact ? [renderLine(fact)] : []))
  return `# ${renderLine(renderPreview(head?.firstPrompt ?? name, LONGEST_TITLE))}\n\n${facts.join(' · ')}`
}

/** Block by block: a session of many megabytes is never one string. */
function* renderAll(
  heading: readonly string[],
  entries: readonly SessionEntry[],
  { compactions, ...style }: EntryStyle & { readonly compactions: readonly SessionCompaction[] },
): Generator<string> {
  yield* heading
  const waiting = [...compactions]
  let before: SessionEntry | undefined
  for (const entry of entries) {
    const block = renderEntry(entry, { ...style, before })
    if (block === '') continue
    while (waiting[0] && waiting[0].record < (entry.records[0] ?? 0)) {
      yield renderCompaction(waiting[0], style.isWhole)
      waiting.shift()
    }
    if (entry.turn !== before?.turn) yield renderTurn(entry)
    before = entry
    yield block
  }
}

/** Those that lie between the first and the last record of the entries. */
function readCompactions(
  { agent, document }: LoadedSession,
  entries: readonly SessionEntry[],
): SessionCompaction[] {
  const records = entries.flatMap((entry) => entry.records)
  const [first, last] = [Math.min(...records.slice(0, 1)), Math.max(...records.slice(-1))]
  const all = agent ? readSessionCompactions(agent, document.source) : []
  return all.filter(({ record }) => record >= first && record < last)
}

function* encode(blocks: Iterable<string>, colors?: Colors): Generator<Uint8Array> {
  let isFirst = true
  for (const block of blocks) {
    const text =
      colors === undefined ? block : block.replace(/^#{1,3} .*/, (heading) => colors.bold(heading))
    yield Buffer.from(`${isFirst ? '' : '\n'}${text}\n`)
    isFirst = false
  }
}

function toJson(session: LoadedSession, entries: readonly SessionEntry[], style: EntryStyle) {
  return {
    format: session.format.name,
    agent: session.agent?.name ?? null,
    sessionId: session.head?.sessionId ?? null,
    messages: entries.map((entry) => ({
      turn: entry.turn,
      role: entry.message.role,
      origin: entry.message.origin,
      time: entry.timeMs === undefined ? null : new Date(entry.timeMs).toISOString(),
      records: entry.records,
      markdown: renderEntry(entry, style),
    })),
    ...toDamageJson(session),
  }
}

const SHOW_HELP = `
Examples:
  precis show 3f2a | less
  precis show 3f2a 12                     the twelfth request, and what came of it
  precis show 3f2a --record 248           one call, result or message in full
  precis show 3f2a --all --out talk.md    an export

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
