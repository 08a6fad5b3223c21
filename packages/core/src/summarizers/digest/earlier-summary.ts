/** An earlier summary as the events it tells of, so that it goes through the same choice as everything that came later. */
import type { FileChange } from '../../facts/patch.ts'
import { readShellCommand } from '../../facts/shell.ts'
import type { Action } from '../../facts/tool-calls.ts'
import { clip } from './clip.ts'
import type { CallEvent, UnplacedEvent, WordsEvent } from './event.ts'
import { type EarlierDigest, type EarlierGroup, parseDigest } from './parse-digest.ts'
import { wordings } from './wording.ts'

const ALL_WORDINGS = Object.values(wordings)
// Only how often matters, not that it was very often.
const MOST_REPETITIONS = 9

/** Undefined when the text was written by another summarizer. */
export function readEarlierDigest(text: string): UnplacedEvent[] | undefined {
  const digest = parseDigest(text)
  if (!digest) return undefined
  return [
    ...(digest.found.length > 0 ? [call({ kind: 'search' }, { failed: false, text: digest.found.join('\n') })] : []),
    ...digest.read.map(({ name, lines }) =>
      call({ kind: 'read', paths: [name] }, { failed: false, text: lines.join('\n') }),
    ),
    ...digest.changed.flatMap(readChangedFile),
    ...readCommands(digest),
    ...digest.course.map(({ type, text }): UnplacedEvent => (type === 'request' ? { type, text } : carry(text))),
  ]
}

// What agents write around a summary is for the moment of the change and no part of the record.
const FRAMING =
  /^(?:This session is being continued|Another language model started|Please continue the conversation|If you need specific details from before|The (?:conversation|summary) (?:is summarized|below)|Analysis:?$|Summary:?$|<\/?(?:analysis|summary)>$)/i

/** A summary in prose: one event for each of its paragraphs or sections. */
export function readNativeSummary(text: string): UnplacedEvent[] {
  const body = text.includes('<summary>') ? text.slice(text.indexOf('<summary>')) : text
  const lines = body.split('\n').filter((line) => !FRAMING.test(line.trim()))
  const events: UnplacedEvent[] = []
  let section: string[] = []
  const close = () => {
    if (section.some((line) => line.trim() !== '')) events.push(carry(section.join('\n')))
    section = []
  }
  for (const line of lines) {
    if (/^(?:#{1,4} |\d{1,2}\. )/.test(line)) close()
    section.push(line)
  }
  close()
  return events
}

function carry(text: string): WordsEvent {
  return { type: 'words', text, isCarried: true }
}

function call(action: Partial<Action>, outcome?: CallEvent['outcome']): CallEvent {
  const nothing = {
    kind: 'other',
    name: '',
    callId: '',
    paths: [],
    changes: [],
    tasks: [],
    replacesPlan: false,
  } as const
  return { type: 'call', action: { ...nothing, ...action }, outcome }
}

//   - src/a.ts (created, edited 3×)
//     purpose
//   	line
function readChangedFile({ name, purposes, lines, otherLines }: EarlierGroup): UnplacedEvent[] {
  const start = name.lastIndexOf(' (')
  const path = start < 0 ? name : name.slice(0, start)
  const note = start < 0 ? '' : name.slice(start)
  const isCreated = ALL_WORDINGS.some(({ created }) => note.includes(created))
  const isDeleted = ALL_WORDINGS.some(({ deleted }) => note.includes(deleted))
  const type: FileChange['type'] = isDeleted ? 'deleted' : isCreated ? 'created' : 'edited'
  const change = (added: readonly string[]): FileChange => ({ path, type, removed: [], added })
  const write = (changes: readonly FileChange[]) => call({ kind: 'write', paths: [path], changes })
  const repetitions = readRepetitions(note)
  const explained = purposes.slice(0, -1).flatMap((purpose) => [carry(purpose), write([])])
  const again = Array.from({ length: repetitions - 1 }, () => change([]))
  const seen = call({ kind: 'read', paths: [path] }, { failed: false, text: otherLines.join('\n') })
  return [seen, ...explained, ...purposes.slice(-1).map(carry), write([...again, change(lines)])]
}

//   - npm test (3×) → failed (exit 1)
//   - git branch --show-current → "main"
function readCommands({ commands, errors }: EarlierDigest): CallEvent[] {
  const reports = new Map(errors.map(({ name, lines }) => [name, lines.join('\n')]))
  return commands.flatMap((line) => {
    const arrow = line.lastIndexOf(line.endsWith('"') ? ' → "' : ' → ')
    const ended = (word: string) => arrow >= 0 && line.startsWith(word, arrow + 3)
    const failed = ALL_WORDINGS.some((wording) => ended(wording.failed))
    const isOk = ALL_WORDINGS.some((wording) => ended(wording.ok))
    const isRunning = ALL_WORDINGS.some((wording) => ended(wording.running))
    const answer = failed ? undefined : /^ → "([^\n]{1,80})"$/.exec(line.slice(Math.max(arrow, 0)))?.[1]
    const isKnown = failed || isOk || isRunning || answer !== undefined
    const rest = isKnown ? line.slice(0, arrow) : line
    const command = rest.replace(/ \(\d{1,3}×\)$/, '')
    const exit = failed ? /\(exit (-?\d{1,4})\)$/.exec(line)?.[1] : undefined
    const text = answer ?? reports.get(clip(command, 200)) ?? ''
    const exitCode = isOk || answer !== undefined ? 0 : exit === undefined ? undefined : Number(exit)
    const outcome = { failed, text, ...(exitCode !== undefined && { exitCode }) }
    const kind = isKnown ? 'command' : readShellCommand(command).kind
    return Array.from({ length: readRepetitions(rest) }, () => {
      const event = call({ kind: kind === 'read' ? 'search' : kind, command }, outcome)
      return isRunning ? { ...event, isRunning } : event
    })
  })
}

function readRepetitions(note: string): number {
  const times = /(\d{1,3})×\)$/.exec(note)?.[1]
  return times === undefined ? 1 : Math.min(Number(times), MOST_REPETITIONS)
}
