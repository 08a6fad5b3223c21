/** What code carries on from compression to compression as data, apart from any summary. */
import type { Message } from '../conversation/message.ts'
import { type Directive, type EndedDirective, traceDirectives } from './directives.ts'
import { headingOf, type LedgerSection, ledgerSections, renderItem, renderTask } from './ledger-record.ts'
import { findTasks, type Task } from './tasks.ts'

/** Texts are verbatim but for keys and passwords. */
export interface Ledger {
  readonly pins: readonly string[]
  /** Standing instructions in force, oldest first. */
  readonly directives: readonly Directive[]
  /** Those the person ended: they matter while the message that said them stays. */
  readonly ended: readonly (Directive & Partial<Pick<EndedDirective, 'endedBy'>>)[]
  readonly tasks: readonly Task[]
}

export interface LedgerInput {
  /** The whole conversation in order, also what will stay. */
  readonly messages: readonly Message[]
  /** What the person pinned outside of the conversation. */
  readonly pins?: readonly string[]
  readonly workingDirectory?: string
}

export function createLedger({ messages, pins, workingDirectory }: LedgerInput): Ledger {
  const trace = traceDirectives(messages, pins)
  return {
    pins: trace.pins,
    directives: trace.inForce,
    ended: trace.ended,
    tasks: findTasks(messages, workingDirectory),
  }
}

// Joined text may have fewer tokens than its lines: as many more are tried before the whole is counted.
const JOIN_SLACK_TOKENS = 16

export interface RenderLedgerOptions {
  /** Upper limit of the whole text; pins stand whatever it is. */
  readonly limitTokens: number
  readonly countTokens: (text: string) => number
  /** Whether a message of the conversation stays verbatim: what it says needs no second place. */
  readonly isKept?: (messageIndex: number) => boolean
}

interface Line {
  readonly section: LedgerSection
  readonly text: string
  /** Lower ones go first when there is too little room; of equal ones the older. */
  readonly rank: number
}

/** Empty when there is nothing to carry on, or no room for the first of it. */
export function renderLedger(ledger: Ledger, { limitTokens, countTokens, isKept }: RenderLedgerOptions): string {
  const lines = collectLines(ledger, isKept)
  const kept = new Set<Line>()
  let tokens = 0
  const opened = new Set<LedgerSection>()
  for (const line of rank(lines)) {
    const heading = opened.has(line.section) ? 0 : countTokens(`\n\n${headingOf(line.section)}\n`)
    const needed = heading + countTokens(`${line.text}\n`)
    // One line that finds no room must not take all others with it.
    if (line.section !== 'pins' && tokens + needed > limitTokens + JOIN_SLACK_TOKENS) continue
    tokens += needed
    opened.add(line.section)
    kept.add(line)
  }
  for (;;) {
    const text = renderLines(lines.filter((line) => kept.has(line)))
    const last = [...kept].at(-1)
    if (last === undefined || last.section === 'pins' || countTokens(text) <= limitTokens) return text
    kept.delete(last)
  }
}

const RANKS = { pin: 9, 3: 8, ended: 7, active: 6, 2: 5, open: 4, 1: 3, done: 2, cancelled: 1 } as const

function collectLines({ pins, directives, ended, tasks }: Ledger, isKept: RenderLedgerOptions['isKept']): Line[] {
  const stays = (index: number | undefined) => index !== undefined && isKept?.(index) === true
  const outlived = isKept ? ended.filter(({ message, endedBy }) => stays(message) && !stays(endedBy)) : ended
  return [
    ...pins.map((text): Line => ({ section: 'pins', text: renderItem(text), rank: RANKS.pin })),
    ...directives
      .filter(({ message }) => !stays(message))
      .map(({ text, strength }): Line => ({ section: 'directives', text: renderItem(text), rank: RANKS[strength] })),
    ...outlived.map(({ text }): Line => ({ section: 'ended', text: renderItem(text), rank: RANKS.ended })),
    ...tasks.map((task): Line => ({ section: 'tasks', text: renderTask(task), rank: RANKS[task.status] })),
  ]
}

/** Most worth keeping first. Pins and tasks are in the order of their worth, the others have the newest last. */
function rank(lines: readonly Line[]): Line[] {
  const newestFirst = lines.map((line, index) => ({
    line,
    age: line.section === 'pins' || line.section === 'tasks' ? index : -index,
  }))
  return newestFirst.sort((a, b) => b.line.rank - a.line.rank || a.age - b.age).map(({ line }) => line)
}

function renderLines(lines: readonly Line[]): string {
  return ledgerSections
    .flatMap((section) => {
      const own = lines.filter((line) => line.section === section)
      return own.length === 0 ? [] : [`${headingOf(section)}\n${own.map(({ text }) => text).join('\n')}`]
    })
    .join('\n\n')
}
