/**
 * Reads an earlier summary as events, so that it goes through the same choice as everything that
 * came later.
 */

import type { FileChange } from '../actions/file-changes.ts'
import { readShellCommand } from '../actions/shell-steps.ts'
import type { Action } from '../actions/tool-calls.ts'
import { hosts } from '../conversation/hosts.data.ts'
import { REFUSED_EDIT, UNDONE } from './collect-files.ts'
import { COMMIT, FAILED_BEFORE } from './describe-call.ts'
import type { CallEvent, UnplacedEvent, WordsEvent } from './draft.ts'
import { type EarlierDigest, type EarlierGroup, parseDigest } from './parse-digest.ts'
import { GAP, PURPOSE_MARK } from './quote-command.ts'
import { readScratch } from './scratch.ts'

// So many events say that it was often.
const MOST_REPETITIONS = 9

/** Undefined when the text was written by another summarizer. */
export function readEarlierDigest(text: string): UnplacedEvent[] | undefined {
  const digest = parseDigest(text)
  if (!digest) return undefined
  return [
    ...digest.seen.map(({ name, lines }) =>
      call({ kind: 'search', name: '', purpose: name }, { failed: false, text: lines.join('\n') }),
    ),
    ...digest.read.map(({ name, lines }) =>
      call({ kind: 'read', paths: [name] }, { failed: false, text: lines.join('\n') }),
    ),
    ...digest.changed.map((group) => explain(group, digest.steps)).flatMap(readChangedFile),
    ...readCommands(digest),
    ...readNativeSummary(digest.before),
    ...digest.conversation,
    ...readSaid(digest),
  ]
}

// Agents write this around a summary for the moment of the change. It is not part of the record.
const FRAMING = /^(?:Analysis:?|Summary:?|<\/?(?:analysis|summary)>)$/i
const framingBeginnings = hosts.flatMap(({ summaries = [], summaryFrame = [] }) => [
  // Words may be on the line of an element.
  ...summaries.filter((opening) => !opening.startsWith('<')),
  ...summaryFrame,
])

function isFraming(line: string): boolean {
  const words = line.trim()
  return FRAMING.test(words) || framingBeginnings.some((beginning) => words.startsWith(beginning))
}

/** A summary in prose: one event for each of its paragraphs or sections. */
export function readNativeSummary(text: string): UnplacedEvent[] {
  const body = text.includes('<summary>') ? text.slice(text.indexOf('<summary>')) : text
  const lines = body.split('\n').filter((line) => !isFraming(line))
  const sections: string[][] = [[]]
  for (const line of lines) {
    if (/^(?:#{1,4} |\d{1,2}\. )/.test(line)) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections
    .filter((section) => section.some((line) => line.trim() !== ''))
    .map((section) => ({ ...carry(section.join('\n')), isRecord: true }))
}

const carry = (text: string): WordsEvent => ({ type: 'words', text, isCarried: true })

function call(action: Partial<Action>, outcome?: CallEvent['outcome']): CallEvent {
  const nothing: Action = {
    kind: 'other',
    name: '',
    paths: [],
    changes: [],
    tasks: [],
    replacesPlan: false,
  }
  return { type: 'call', action: { ...nothing, ...action }, outcome }
}

//   - src/a.ts (created, edited 3×)
//     purpose
//   	line
function readChangedFile({ name, purposes, lines, otherLines }: EarlierGroup): UnplacedEvent[] {
  const scratch = readScratch(name)
  if (scratch) return [readScratchFiles(scratch)]
  const path = readPath({ name })
  const note = name.slice(path.length)
  const isCreated = note.includes('created')
  const isDeleted = note.includes('deleted')
  const type: FileChange['type'] = isDeleted ? 'deleted' : isCreated ? 'created' : 'edited'
  const change = (added: readonly string[]): FileChange => ({ path, type, removed: [], added })
  const write = (changes: readonly FileChange[]) => call({ kind: 'write', paths: [path], changes })
  const [, edits = note.includes('created, edited') ? 2 : 1] = /(\d{1,6})×[;)]/.exec(note) ?? []
  const { repetitions, times } = shareCount(Number(edits))
  const refused = note.includes(REFUSED_EDIT)
    ? [call({ kind: 'write', paths: [path], changes: [change([])] }, REFUSAL)]
    : []
  if (refused.length > 0 && !note.includes('edited') && !isCreated) return refused
  const explained = purposes.slice(0, -1).flatMap((purpose) => [carry(purpose), write([])])
  const again = Array.from({ length: repetitions - 1 }, () => change([]))
  const seen = call({ kind: 'read', paths: [path] }, { failed: false, text: otherLines.join('\n') })
  return [
    seen,
    ...refused,
    ...explained,
    ...purposes.slice(-1).map(carry),
    { ...write([...again, change(lines)]), times, isUndone: note.includes(UNDONE) },
  ]
}

function readScratchFiles({ paths, unnamed }: NonNullable<ReturnType<typeof readScratch>>) {
  const changes = paths.map(
    (path): FileChange => ({ path, type: 'created', removed: [], added: [] }),
  )
  return { ...call({ kind: 'write', paths, changes }), isScratch: true, unnamed }
}

function readPath({ name }: Pick<EarlierGroup, 'name'>): string {
  const start = name.lastIndexOf(' (')
  return start < 0 ? name : name.slice(0, start)
}

const ENDED =
  / → (?:(failed)(?: \(exit (-?\d{1,4})\))?|(ok)|(still running|stopped)|(refused by the user))?(?:: )?(?:"([^\n]{1,200})")?$/

// `; failed before: "error TS2304"`
const EARLIER = new RegExp(`; ${FAILED_BEFORE}"([^\\n]{1,200})"$`)

// `Edit: src/a.ts`: no command.
const TOOL_STEP = /^[\w.-]{1,64}: /

//   - npm test (3×) → failed (exit 1): "2 tests failed"
//   - git branch --show-current → "main"
/** Commands, open failures and the last steps. Each is in one of these places. */
function readCommands({ commands, errors, steps }: EarlierDigest): CallEvent[] {
  const failed = errors.filter(({ name }) => ENDED.test(name) && !TOOL_STEP.test(name))
  const done = steps.filter(({ name }) => name !== '' && !TOOL_STEP.test(name))
  // The latest step of a command contains how often it was run.
  const newest = new Map(done.map((step) => [readCommandName(step.name), step]))
  return [
    ...failed.flatMap(readCommand),
    ...commands.flatMap(readCommand),
    ...[...newest.values()].flatMap(readCommand),
  ]
}

// Each commit is one of its own.
const readCommandName = (line: string): string =>
  line.startsWith(`${COMMIT} → `) ? line : line.replace(ENDED, '').replace(COUNT, '')

function readCommand({ name: whole, lines }: EarlierGroup): CallEvent[] {
  const [before = '', error] = EARLIER.exec(whole) ?? []
  const line = whole.slice(0, whole.length - before.length)
  const [ending = '', failed, exit, ok, state, refused, shown] = ENDED.exec(line) ?? []
  const isKnown = ending !== '' && ending !== ' → '
  const rest = isKnown ? line.slice(0, line.length - ending.length) : line
  const [counted = '', count = 1] = COUNT.exec(rest) ?? []
  const named = rest.slice(0, rest.length - counted.length)
  const [start = '', purpose] = named.split(PURPOSE_MARK)
  const command = purpose === undefined ? named : `${start} ${GAP}`
  const text = [...(shown === undefined ? [] : [shown]), ...lines].join('\n')
  const exitCode = ok !== undefined ? 0 : exit === undefined ? undefined : Number(exit)
  const outcome = refused === undefined ? { failed: failed !== undefined, text, exitCode } : REFUSAL
  const kind = isKnown ? 'command' : readShellCommand(command).kind
  const failure = { failed: true, text: error ?? '', exitCode: undefined }
  const { repetitions, times } = shareCount(Number(count))
  return Array.from({ length: repetitions }, (_, index) => {
    if (error !== undefined && index === repetitions - 2)
      return call({ kind: 'command', command, purpose }, failure)
    const event = call({ kind: kind === 'read' ? 'search' : kind, command, purpose }, outcome)
    if (index === 0) event.times = times
    return state === undefined ? event : { ...event, state: state as CallEvent['state'] }
  })
}

const REFUSAL = { failed: true, text: 'The user rejected the call.', exitCode: undefined }

/** With the purpose from the last steps, before the step that changed the file. */
function explain(group: EarlierGroup, steps: readonly EarlierGroup[]): EarlierGroup {
  const path = readPath(group)
  const purposes = steps.flatMap(({ name, purposes: said }) =>
    name.endsWith(`: ${path}`) ? said : [],
  )
  return purposes.length === 0 ? group : { ...group, purposes: [...group.purposes, ...purposes] }
}

/** What the agent said among the last steps, apart from what explains a change. */
function readSaid({ steps, changed, turn }: EarlierDigest): WordsEvent[] {
  const paths = new Set(changed.map(readPath))
  const others = steps.filter(
    ({ name }) => !(TOOL_STEP.test(name) && paths.has(name.slice(name.indexOf(': ') + 2))),
  )
  return others
    .flatMap(({ purposes }) => purposes)
    .map((text) => ({ ...carry(text), ...(turn > 0 && { turn }) }))
}

const COUNT = / \((\d{1,6})×\)$/

/** How many events stand for a count, and what the first of them counts for. */
function shareCount(count: number) {
  const repetitions = Math.min(count, MOST_REPETITIONS)
  return { repetitions, times: count - repetitions + 1 }
}
