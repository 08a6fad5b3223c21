/**
 * The layout of a summary message, version 1. It joins what a summarizer wrote with the data that
 * code carries over. The text can be read from top to bottom, and split again.
 *
 *   ## Where things stand      summary
 *   ## Pinned by the user      ledger: lines that begin with ">"
 *   ## The conversation        ledger: the user's words, and by turn what the agent found
 *   ## Tasks                   ledger
 *   ## Files changed …         summary
 */

/** The sections of a summary in order, with their headings. */
export const summaryHeadings = {
  state: 'Where things stand',
  conversation: 'The conversation',
  changed: 'Files changed',
  commands: 'Commands',
  errors: 'Not resolved',
  read: 'Files read',
  seen: 'Seen',
} as const

export type SummarySection = keyof typeof summaryHeadings

/**
 * The sections of a ledger. In the message, the user's words are in the section about the
 * conversation.
 */
export const ledgerHeadings = {
  pins: 'Pinned by the user',
  words: 'The words of the user',
  tasks: 'Tasks',
} as const

export type LedgerSection = keyof typeof ledgerHeadings

const CONVERSATION = `## ${summaryHeadings.conversation}`
const PINS = `## ${ledgerHeadings.pins}`
const WORDS = `## ${ledgerHeadings.words}`
const TASKS = `## ${ledgerHeadings.tasks}`
// A summary may not quote the user or open a section of the ledger. A backslash that was already
// there gets one more.
const RESERVED = /^(\\*)(>|## (?:Pinned by the user|The words of the user|Tasks)$)/gm
const ESCAPED =
  /^\\(\\*)(>|## (?:Pinned by the user|The words of the user|Tasks|The conversation)$)/gm
// The first one opens the section. Any other is text.
const OPENING = /^(\\*)## The conversation$/gm
// `[3]`, or `[3, at first]`: what the agent said in a turn before the user refused a call in it.
// `[3] (image)`: the user only showed something.
const TURN = /^\[(\d{1,6})(, at first)?\](?: \((image|file|image and file)\))?$/
// Lines with this number belong to no named turn.
const BEFORE_REQUESTS: NamedTurn = { turn: 0, isAtFirst: false }
const WORDS_TURN = /^> \[(\d{1,6})(, refusing )?/

interface Layout {
  readonly summary: string
  readonly ledger: string
}

export interface NamedTurn {
  readonly turn: number
  readonly isAtFirst: boolean
  /** What the user showed in it without words. */
  readonly shown?: string | undefined
}

/** The line over what the agent said in a turn. */
export const nameTurn = ({ turn, isAtFirst, shown }: NamedTurn): string =>
  `[${turn}${isAtFirst ? AT_FIRST : ''}]${shown === undefined ? '' : ` (${shown})`}`

const AT_FIRST = ', at first'

/** The turn that a line names. Undefined for any other line. */
export function readTurn(line: string): NamedTurn | undefined {
  const [, turn, first, shown] = TURN.exec(line) ?? []
  return turn === undefined
    ? undefined
    : { turn: Number(turn), isAtFirst: first !== undefined, shown }
}

/** Joins both into one text. */
export function joinLayout(summary: string, ledger: string): string {
  const { pins, words, tasks } = readLedgerSections(ledger)
  const { before, conversation, after } = splitSummary(escapeSummary(summary))
  const said = mergeTurns(words, conversation ?? [])
  return [
    before,
    section(PINS, pins),
    said.length === 0 && conversation === undefined ? '' : [CONVERSATION, ...said].join('\n'),
    section(TASKS, tasks),
    after,
  ]
    .filter((block) => block !== '')
    .join('\n\n')
}

function escapeSummary(summary: string): string {
  let isOpen = false
  return summary.replace(RESERVED, '\\$1$2').replace(OPENING, (heading, escapes: string) => {
    const isFirst = escapes === '' && !isOpen
    isOpen ||= isFirst
    return isFirst ? heading : `\\${heading}`
  })
}

/** Splits a text that `joinLayout` joined. */
export function splitLayout(text: string): Layout {
  const lines = text.split('\n')
  const pins = takeSection(lines, PINS)
  const tasks = takeSection(lines, TASKS)
  const { before, conversation, after } = splitSummary(lines.join('\n'))
  const { words, rest } = partTurns(conversation ?? [])
  while (rest.at(-1) === '') rest.pop()
  const found = rest.length > 0 ? [CONVERSATION, ...rest].join('\n') : ''
  const summary = [before, found, after].filter((block) => block !== '').join('\n\n')
  return {
    summary: summary.replace(ESCAPED, '$1$2'),
    ledger: [section(PINS, pins), section(WORDS, words), section(TASKS, tasks)]
      .filter((block) => block !== '')
      .join('\n\n'),
  }
}

const section = (heading: string, lines: readonly string[]) =>
  lines.length > 0 ? [heading, ...lines].join('\n') : ''

function readLedgerSections(ledger: string) {
  const lines = ledger.split('\n')
  return {
    pins: takeSection(lines, PINS),
    words: takeSection(lines, WORDS),
    tasks: takeSection(lines, TASKS),
  }
}

/**
 * Removes a section of the ledger from lines: its heading, the quoted lines below it and the blank
 * line after them.
 */
function takeSection(lines: string[], heading: string): string[] {
  const start = lines.indexOf(heading)
  if (start < 0) return []
  let end = start + 1
  while (lines[end]?.startsWith('>')) end++
  const taken = lines.slice(start + 1, end)
  lines.splice(start, end - start + (lines[end] === '' ? 1 : 0))
  return taken
}

/** What comes before the section about the conversation, its lines, and what comes after it. */
function splitSummary(summary: string) {
  const lines = summary.split('\n')
  const start = lines.indexOf(CONVERSATION)
  if (start < 0) {
    // The section on where things stand comes first.
    const second = findHeading(lines, 1)
    const isDigest = lines[0] === `## ${summaryHeadings.state}`
    const cut = isDigest && second >= 0 ? second : lines.length
    return {
      before: textOf(lines.slice(0, cut)),
      conversation: undefined,
      after: textOf(lines.slice(cut)),
    }
  }
  const next = findHeading(lines, start + 1)
  const end = next < 0 ? lines.length : next
  const conversation = lines.slice(start + 1, end)
  while (conversation.at(-1) === '') conversation.pop()
  return { before: textOf(lines.slice(0, start)), conversation, after: textOf(lines.slice(end)) }
}

const SUMMARY_LINES = new Set<string>(
  Object.values(summaryHeadings).map((heading) => `## ${heading}`),
)

const findHeading = (lines: readonly string[], from: number) =>
  lines.findIndex((line, index) => index >= from && SUMMARY_LINES.has(line))

function textOf(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line !== '')
  return start < 0
    ? ''
    : lines.slice(start, lines.findLastIndex((line) => line !== '') + 1).join('\n')
}

/**
 * The user's words, and after the words of each turn what the agent found in it. A turn without
 * words is named by a line. A turn without words and findings is left out.
 */
function mergeTurns(words: readonly string[], found: readonly string[]): string[] {
  const merged: string[] = []
  let next = 0
  let told = 0
  const tell = (isDue: (turn: number, isRefusal: boolean) => boolean) => {
    for (; next < words.length; next++) {
      const [, turn, refusal] = WORDS_TURN.exec(words[next]!) ?? []
      if (turn !== undefined && !isDue(Number(turn), refusal !== undefined)) return
      told = turn === undefined ? told : Number(turn)
      merged.push(words[next]!)
    }
  }
  let named: NamedTurn | undefined = BEFORE_REQUESTS
  for (const line of found) {
    const turn = readTurn(line)
    if (turn) {
      named = turn
      continue
    }
    if (named !== undefined) {
      const { turn: last, isAtFirst } = named
      tell((due, isRefusal) => due < last || (due === last && !(isAtFirst && isRefusal)))
      if (told !== last) merged.push(nameTurn({ ...named, isAtFirst: false }))
      told = last
      named = undefined
    }
    merged.push(line)
  }
  tell(() => true)
  return merged
}

/**
 * Separates the user's words from what the agent found. Adds the lines again that name its turns.
 */
function partTurns(lines: readonly string[]) {
  const words: string[] = []
  const rest: string[] = []
  let told: NamedTurn = BEFORE_REQUESTS
  let named = BEFORE_REQUESTS.turn
  let heading = -1
  for (const line of lines) {
    if (line.startsWith('>')) {
      words.push(line)
      const [, turn, refusal] = WORDS_TURN.exec(line) ?? []
      if (turn !== undefined && Number(turn) !== told.turn)
        told = { turn: Number(turn), isAtFirst: false }
      if (told.turn === named && refusal !== undefined) {
        rest[heading] = nameTurn({ ...told, isAtFirst: true })
        named = BEFORE_REQUESTS.turn
      }
      continue
    }
    const turn = readTurn(line)
    if (turn) told = turn
    else {
      if (told.turn !== named) heading = rest.push(nameTurn({ ...told, isAtFirst: false })) - 1
      named = told.turn
      rest.push(line)
    }
  }
  return { words, rest }
}
