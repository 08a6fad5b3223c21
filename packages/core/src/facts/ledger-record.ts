/**
 * Writes a ledger into a summary message and reads it back: a record in quoted lines, exact in both
 * directions.
 */

import type { TaskStatus } from '../actions/plan-tasks.ts'
import { type LedgerSection, ledgerHeadings } from '../conversation/summary-layout.ts'

/**
 * One message of the user: typed, queued or steering, an answer to a question of the agent, or
 * words with a refused call.
 */
export interface UserWords {
  /** The number of the request, from 1. Words in between have the number of the last request. */
  readonly turn: number
  /** What an answer answers, or which tool was refused. */
  readonly about?: string
  /** Verbatim, except keys and passwords. From an earlier summary it may be clipped. */
  readonly text: string
  /** Position of the message. Undefined if only an earlier summary contains it. */
  readonly message?: number
}

/** Messages of the user that did not fit an earlier summary. */
export interface OmittedWords {
  readonly count: number
  readonly lastTurn: number
}

export interface UserRecord {
  readonly words: readonly UserWords[]
  readonly omitted: OmittedWords
}

/** The content of a ledger, in the order of its lines. */
export interface LedgerRecord extends UserRecord {
  readonly pins: readonly string[]
  /** With the agent's number of the task, if it numbers tasks. */
  readonly tasks: readonly {
    readonly text: string
    readonly status: TaskStatus
    readonly id?: string
  }[]
}

const STATUSES: readonly TaskStatus[] = ['open', 'active', 'done', 'cancelled']
const TASK = /^\[(\w{1,20})(?: #([\w.-]{1,80}))?\] ([\s\S]*)$/
const WORDS = /^\[(\d{1,6})(?:, ([^\]\n]{1,400}))?\] ([\s\S]*)$/
const OMITTED = /^\[earlier: (\d{1,7}) messages? of the user up to turn (\d{1,6}) /

//   > Never touch the database:          first line of an item
//   >   it is shared with production     each further line of it
const renderItem = (text: string): string => `> ${text.replaceAll('\n', '\n>   ')}`

const renderWords = ({ turn, about, text }: UserWords): string =>
  renderItem(`[${turn}${about === undefined ? '' : `, ${about}`}] ${text}`)

const renderOmitted = (count: number, lastTurn: number): string =>
  renderItem(
    `[earlier: ${count} message${count === 1 ? '' : 's'} of the user up to turn ${lastTurn} not shown here]`,
  )

function renderTask({ text, status, id }: LedgerRecord['tasks'][number]): string {
  const number = id !== undefined && /^[\w.-]{1,80}$/.test(id) ? ` #${id}` : ''
  return renderItem(`[${status}${number}] ${text}`)
}

/** Empty when there is nothing to carry on. */
export function writeLedger({ pins, words, omitted, tasks }: LedgerRecord): string {
  const items: Record<LedgerSection, readonly string[]> = {
    pins: pins.map(renderItem),
    words: [
      ...(omitted.count > 0 ? [renderOmitted(omitted.count, omitted.lastTurn)] : []),
      ...words.map(renderWords),
    ],
    tasks: tasks.map(renderTask),
  }
  return sections
    .flatMap((name) =>
      items[name].length > 0 ? [[`## ${ledgerHeadings[name]}`, ...items[name]].join('\n')] : [],
    )
    .join('\n\n')
}

const sections = Object.keys(ledgerHeadings) as LedgerSection[]

/** Text outside of known sections is left out. */
export function parseLedger(text: string): LedgerRecord {
  const items: Record<LedgerSection, string[]> = { pins: [], words: [], tasks: [] }
  let list: string[] | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('>   ') || line === '>') {
      if (list && list.length > 0) list.push(`${list.pop() ?? ''}\n${line.slice(4)}`)
    } else if (line.startsWith('> ')) list?.push(line.slice(2))
    else {
      const section = sections.find((name) => line === `## ${ledgerHeadings[name]}`)
      if (section) list = items[section]
      else if (line !== '') list = undefined
    }
  }
  const [, count = '0', lastTurn = '0'] = OMITTED.exec(items.words[0] ?? '') ?? []
  return {
    pins: items.pins,
    words: items.words.flatMap(readWords),
    omitted: { count: Number(count), lastTurn: Number(lastTurn) },
    tasks: items.tasks.flatMap(readTask),
  }
}

function readWords(item: string): UserWords[] {
  const [, turn, about, text] = WORDS.exec(item) ?? []
  return turn !== undefined && text
    ? [{ turn: Number(turn), text, ...(about === undefined ? {} : { about }) }]
    : []
}

function readTask(item: string): LedgerRecord['tasks'] {
  const [, word, id, text] = TASK.exec(item) ?? []
  const status = STATUSES.find((name) => name === word)
  return status && text ? [{ text, status, id }] : []
}
