/** The ledger: data that code carries from compression to compression, apart from any summary. */

import { opensWithFailure, readOutcomes } from '../actions/outcome.ts'
import type { TaskUpdate } from '../actions/plan-tasks.ts'
import { type Action, readToolCalls } from '../actions/tool-calls.ts'
import { aListOfMessages, checkValue } from '../conversation/check-options.ts'
import { findCallPairs } from '../conversation/invariants/call-pairs.ts'
import type { Message, ToolCallPart, ToolResultPart } from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { cutBefore } from '../text/clip-line.ts'
import { countUserWords, fitUserWords, type WordsRoom } from './fit-words.ts'
import { type LedgerRecord, parseLedger, writeLedger } from './ledger-record.ts'
import { readUserWords, type SaidWords } from './user-words.ts'

/** The content of a ledger. Texts are verbatim, except keys and passwords. */
export type Ledger = LedgerRecord & SaidWords

export interface LedgerInput {
  /** The whole conversation in order, also what will stay. */
  readonly messages: readonly Message[]
  /** Texts that the user pinned outside of the conversation. */
  readonly pins?: readonly string[]
  readonly workingDirectory?: string
}

export function createLedger({ messages, pins, workingDirectory }: LedgerInput): Ledger {
  return {
    ...readUserWords(messages),
    pins: collectPins(messages, pins),
    tasks: findTasks(messages, workingDirectory),
  }
}

/** The pins that are given, then those that earlier summaries carry, each once. */
export function collectPins(messages: readonly Message[], pins: readonly string[] = []): string[] {
  const earlier = messages.flatMap((message) => {
    const ledger = readLedgerText(message)
    return ledger === undefined ? [] : parseLedger(ledger).pins
  })
  return [...new Set([...pins, ...earlier].map(cleanPin))].filter((pin) => pin !== '')
}

/** A pin as a ledger has it. Texts that are equal as such are one pin. */
export const cleanPin = (text: string): string => redactSecrets(text.trim())

// The share that tasks may take of the space next to the pins, before and after the user's words.
const TASKS_SHARE = 0.1
// Joined text may have a few tokens more than its pieces.
const TIGHTER = 0.9
const MOST_ROUNDS = 12

/**
 * The limit is of the whole text. Pins are kept even above it. Empty if there is nothing to carry,
 * or if the first part does not fit.
 */
export function renderLedger(
  { pins, words, omitted, tasks }: LedgerRecord,
  { limitTokens, countTokens }: WordsRoom,
): string {
  const none = { count: 0, lastTurn: 0 }
  const pinned = writeLedger({ pins, words: [], omitted: none, tasks: [] })
  let room = Math.max(limitTokens - (pinned === '' ? 0 : countTokens(pinned)), 0)
  for (let round = 0; round < MOST_ROUNDS && room > 0; round++) {
    const urgent = takeTasks(tasks.filter(isUnfinished), room * TASKS_SHARE, countTokens)
    const said = fitUserWords(
      { words, omitted },
      { limitTokens: room * (1 - TASKS_SHARE), countTokens },
    )
    const shown = writeLedger({ pins, ...said, tasks: urgent })
    const left = limitTokens - countTokens(shown)
    const taken = takeTasks(
      tasks,
      countAll(urgent, countTokens) + Math.min(left, room * TASKS_SHARE),
      countTokens,
    )
    const text = writeLedger({ pins, ...said, tasks: taken })
    if (countTokens(text) <= limitTokens) return text
    room = Math.floor(room * TIGHTER)
  }
  return pinned
}

/**
 * The smallest limit that fits all pins and every message of the user, with long ones in part. It
 * includes what tasks need.
 */
export function countLedger(ledger: LedgerRecord, countTokens: (text: string) => number): number {
  const pinned = writeLedger({
    ...ledger,
    words: [],
    omitted: { count: 0, lastTurn: 0 },
    tasks: [],
  })
  const said =
    countUserWords(ledger, countTokens) +
    countTokens(writeLedger({ ...ledger, pins: [], words: [], tasks: [] }))
  return countTokens(pinned) + Math.ceil(said / (1 - TASKS_SHARE)) + HEADING_TOKENS
}

// The heading of a section and the empty line before it.
const HEADING_TOKENS = 16
const TASK_FRAME_TOKENS = 8

const countAll = (tasks: readonly Task[], countTokens: (text: string) => number): number =>
  tasks.reduce((sum, { text }) => sum + countTokens(text) + TASK_FRAME_TOKENS, 0)

/** The first ones that fit. */
function takeTasks(
  tasks: readonly Task[],
  limitTokens: number,
  countTokens: (text: string) => number,
): Task[] {
  let left = limitTokens
  return tasks.filter((task) => {
    const cost = countAll([task], countTokens)
    if (cost > left) return false
    left -= cost
    return true
  })
}

/** A task of the agent, followed through its plans. */
export type Task = LedgerRecord['tasks'][number]

const MOST_UNFINISHED = 40
const MOST_FINISHED = 20
const LONGEST_TASK = 400
// Of a plan that only grows.
const MOST_KNOWN = 400

/** Unfinished ones in the order of the plan, then finished ones, newest first. */
export function findTasks(
  messages: readonly Message[],
  workingDirectory?: string,
): readonly Task[] {
  checkValue('Finding tasks', 'messages', messages, aListOfMessages)
  const state = new TaskState()
  let results: ReadonlyMap<ToolCallPart, ToolResultPart> | undefined
  for (const message of messages) {
    const ledger = readLedgerText(message)
    if (ledger) state.carryOn(parseLedger(ledger).tasks.map(cleanEarlier))
    for (const part of message.role === 'assistant' ? message.parts : []) {
      if (part.type !== 'tool-call') continue
      const actions = readToolCalls(part, workingDirectory)
      if (!actions.some(({ kind }) => kind === 'plan')) continue
      results ??= pairResults(messages)
      const result = results.get(part)
      const outcomes = result && readOutcomes(result, actions)
      for (const [index, action] of actions.entries()) {
        const outcome = outcomes?.[index]
        const isRefused = outcome?.failed === true || opensWithFailure(outcome?.text ?? '')
        if (action.kind === 'plan' && !isRefused) state.plan(action, outcome?.text)
      }
    }
  }
  return state.list()
}

// Item by item: a secret does not go on in the next one.
const cleanEarlier = (task: Task): Task => ({ ...task, text: redactSecrets(task.text) })

function pairResults(messages: readonly Message[]): Map<ToolCallPart, ToolResultPart> {
  const outcomes = new Map<ToolCallPart, ToolResultPart>()
  for (const { call, part } of findCallPairs(messages).results)
    if (call) outcomes.set(call.part, part)
  return outcomes
}

type PlannedTask = Omit<Task, 'status'> & { readonly status: Task['status'] | 'unknown' }

class TaskState {
  /** The current plan, by number or text. */
  #plan = new Map<string, PlannedTask>()
  /** By text. Tasks of replaced plans, oldest first. */
  readonly #past = new Map<string, Task>()

  carryOn(tasks: readonly Task[]): void {
    this.#plan = new Map()
    this.#past.clear()
    for (const task of tasks) if (isUnfinished(task)) this.#plan.set(task.id ?? task.text, task)
    for (const task of tasks.toReversed()) if (!isUnfinished(task)) this.#keep(task)
  }

  plan({ tasks, replacesPlan }: Action, answer = ''): void {
    const before = this.#plan
    if (replacesPlan) this.#plan = new Map()
    for (const update of tasks.flatMap((task) => task.readAnswer?.(answer) ?? task)) {
      // "Task #3 created": the number comes with the answer.
      const id = update.id ?? (replacesPlan ? undefined : /#(\d{1,6})/.exec(answer)?.[1])
      const key = id ?? (update.text === undefined ? undefined : cleanTask(update.text))
      if (update.which && update.id === undefined) {
        for (const [each, task] of this.#plan)
          if (update.which(task)) this.#change(each, task, { ...update, id: task.id })
      } else if (key !== undefined) {
        const known = before.get(key) ?? this.#findPast(id)
        // A whole plan names its tasks again: a number means nothing beyond it.
        this.#change(key, known, { ...update, id: replacesPlan ? undefined : id })
      }
    }
    if (!replacesPlan) return
    // A finished task stays finished. An unfinished one that a new plan leaves out is no longer a
    // task.
    for (const task of before.values())
      if (isFinished(task) && !this.#plan.has(task.text)) this.#keep(task)
  }

  #change(key: string, known: PlannedTask | undefined, update: TaskUpdate): void {
    const text = update.text === undefined ? known?.text : cleanTask(update.text)
    const isOther = known ? update.isNew || update.which?.(known) === false : update.which
    if (text === undefined || text === '' || isOther) return
    if (update.isDeleted) {
      this.#plan.delete(key)
      // Its number is free for another task.
      if (known && isFinished(known)) this.#keep({ ...known, id: undefined })
      return
    }
    this.#past.delete(text)
    const status = update.status ?? known?.status ?? 'open'
    this.#plan.set(update.id ?? text, { text, status, id: update.id })
    if (this.#plan.size > MOST_KNOWN) this.#forgetOldest()
  }

  /** A finished one, if there is any. */
  #forgetOldest(): void {
    let oldest: string | undefined
    for (const [key, task] of this.#plan) {
      oldest ??= key
      if (!isFinished(task)) continue
      oldest = key
      break
    }
    if (oldest !== undefined) this.#plan.delete(oldest)
  }

  list(): Task[] {
    const plan = [...this.#plan.values()]
    const finished = [...this.#past.values(), ...plan.filter(isFinished)].toReversed()
    return [
      ...plan.filter(isUnfinished).slice(-MOST_UNFINISHED),
      ...finished.slice(0, MOST_FINISHED),
    ]
  }

  #findPast(id: string | undefined): Task | undefined {
    return id === undefined
      ? undefined
      : [...this.#past.values()].findLast((task) => task.id === id)
  }

  #keep(task: Task): void {
    this.#past.delete(task.text)
    this.#past.set(task.text, task)
    const oldest = this.#past.size > MOST_FINISHED ? this.#past.keys().next().value : undefined
    if (oldest !== undefined) this.#past.delete(oldest)
  }
}

const isUnfinished = (task: PlannedTask): task is Task =>
  task.status === 'open' || task.status === 'active'
const isFinished = (task: PlannedTask): task is Task =>
  task.status === 'done' || task.status === 'cancelled'

function cleanTask(text: string): string {
  const clean = redactSecrets(text).replace(/\s+/g, ' ').trim()
  return cutBefore(clean, Math.min(clean.length, LONGEST_TASK)).trim()
}
