/** What became of the agent's tasks: from its plans, its commits and the person's words. */
import { findCallPairs } from '../conversation/invariants/call-pairs.ts'
import { type Message, readText, type ToolCallPart, type ToolResultPart } from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { parseLedger } from './ledger-record.ts'
import { readOutcome } from './outcome.ts'
import { readSubject, shareOf } from './subject.ts'
import { type Action, readToolCall, type TaskStatus } from './tool-calls.ts'
import { readSentenceWords } from './word-lists.ts'

export interface Task {
  readonly text: string
  readonly status: TaskStatus
  /** The number the agent gave it, where it numbers them. */
  readonly id?: string
}

const MOST_UNFINISHED = 40
const MOST_FINISHED = 20
const LONGEST_TASK = 400
// A commit has to say this much of a task before it counts as the task's.
const LEAST_COMMITTED_WORDS = 3
const LONGEST_COMMAND = 4_000

/** Unfinished ones in the order of the plan, then finished ones, newest first. */
export function findTasks(messages: readonly Message[], workingDirectory?: string): readonly Task[] {
  const state = new TaskState()
  let outcomes: ReadonlyMap<ToolCallPart, ToolResultPart> | undefined
  for (const message of messages) {
    if (isUserRequest(message)) state.hear(readText(message))
    else if (message.role === 'assistant') {
      for (const part of message.parts) {
        if (part.type !== 'tool-call') continue
        const action = readToolCall(part, workingDirectory)
        if (action.kind !== 'plan' && !action.command?.includes('git commit')) continue
        outcomes ??= pairResults(messages)
        const result = outcomes.get(part)
        const outcome = result && readOutcome(result)
        if (outcome?.failed === true) continue
        if (action.kind === 'plan') state.plan(action, outcome?.text)
        else if (outcome) state.commit(action.command ?? '')
      }
    } else {
      const ledger = readLedgerText(message)
      if (ledger) state.carryOn(parseLedger(redactSecrets(ledger)).tasks)
    }
  }
  return state.list()
}

function pairResults(messages: readonly Message[]): Map<ToolCallPart, ToolResultPart> {
  const outcomes = new Map<ToolCallPart, ToolResultPart>()
  for (const { call, part } of findCallPairs(messages).results) if (call) outcomes.set(call.part, part)
  return outcomes
}

class TaskState {
  /** By number or text; the plan as it stands. */
  #plan = new Map<string, Task>()
  /** By text; those of plans that were replaced, oldest first. */
  readonly #past = new Map<string, Task>()

  carryOn(tasks: readonly Task[]): void {
    this.#plan = new Map()
    this.#past.clear()
    for (const task of tasks) if (isUnfinished(task)) this.#plan.set(task.id ?? task.text, task)
    for (const task of tasks.toReversed()) if (!isUnfinished(task)) this.#keep(task)
  }

  plan({ tasks, replacesPlan }: Action, answer: string | undefined): void {
    const before = this.#plan
    if (replacesPlan) this.#plan = new Map()
    for (const update of tasks) {
      // "Task #3 created": the number comes with the answer.
      const id = update.id ?? (replacesPlan ? undefined : /#(\d{1,6})/.exec(answer ?? '')?.[1])
      const key = id ?? (update.text === undefined ? undefined : cleanTask(update.text))
      if (key === undefined) continue
      const known = before.get(key) ?? this.#findPast(id)
      const text = update.text === undefined ? known?.text : cleanTask(update.text)
      if (text === undefined || text === '') continue
      this.#past.delete(text)
      // A whole plan names its tasks anew: a number means nothing beyond it.
      const status = update.status ?? known?.status ?? 'open'
      this.#plan.set(replacesPlan ? text : key, { text, status, ...(id !== undefined && !replacesPlan && { id }) })
    }
    if (!replacesPlan) return
    // What was done stays done; what a new plan leaves out unfinished is no task any more.
    for (const task of before.values()) if (!isUnfinished(task) && !this.#plan.has(task.text)) this.#keep(task)
  }

  commit(command: string): void {
    const said = readSubject(readSentenceWords(command.slice(0, LONGEST_COMMAND)))
    for (const [key, task] of this.#plan) {
      const subject = readSubject(readSentenceWords(task.text))
      if (!isUnfinished(task) || subject.size < LEAST_COMMITTED_WORDS || shareOf(subject, said) < 1) continue
      this.#plan.set(key, { ...task, status: 'done' })
    }
  }

  hear(text: string): void {
    const words = text.trim().toLowerCase()
    if (words.length > 200) return
    const named = /^(?:task )?#?(\d{1,6}) is (done|finished|cancelled|canceled|obsolete)\W{0,3}$/.exec(words)
    if (named) this.#settle(this.#plan.get(named[1] ?? ''), named[2] === 'done' || named[2] === 'finished')
    const active = [...this.#plan.values()].filter(({ status }) => status === 'active')
    if (active.length !== 1) return
    if (ACCEPTED.test(words)) this.#settle(active[0], true)
    else if (LEFT.test(words)) this.#settle(active[0], false)
  }

  list(): Task[] {
    const plan = [...this.#plan.values()]
    const finished = [...this.#past.values(), ...plan.filter((task) => !isUnfinished(task))].toReversed()
    return [...plan.filter(isUnfinished).slice(-MOST_UNFINISHED), ...finished.slice(0, MOST_FINISHED)]
  }

  #findPast(id: string | undefined): Task | undefined {
    return id === undefined ? undefined : [...this.#past.values()].findLast((task) => task.id === id)
  }

  #settle(task: Task | undefined, isDone: boolean): void {
    if (!task || !isUnfinished(task)) return
    for (const [key, known] of this.#plan) {
      if (known === task) this.#plan.set(key, { ...task, status: isDone ? 'done' : 'cancelled' })
    }
  }

  #keep(task: Task): void {
    this.#past.delete(task.text)
    this.#past.set(task.text, task)
    const oldest = this.#past.size > MOST_FINISHED ? this.#past.keys().next().value : undefined
    if (oldest !== undefined) this.#past.delete(oldest)
  }
}

// Only whole messages: "done, continue" may be about what the person did.
const ACCEPTED =
  /^(?:(?:ok(?:ay)?|yes|great|perfect|nice|thanks),? )?(?:that works|it works|works|works now|it works now|that works now|this works|looks good,? that's done|das funktioniert|funktioniert|ça marche|funciona|funziona|работает|可以了|動きました|잘 돼요)\W{0,3}$/
const LEFT =
  /^(?:(?:ok(?:ay)?|no|actually),? )?(?:leave (?:that|it)|skip (?:that|it|this)(?: one| task)?|drop (?:that|it|this)(?: task)?|cancel (?:that|it|this)(?: task)?|lass das|laisse ça|déjalo|deixa isso|lascia stare|оставь это|跳过这个|それはいい|그건 놔둬)\W{0,3}$/

function isUnfinished({ status }: Task): boolean {
  return status === 'open' || status === 'active'
}

function cleanTask(text: string): string {
  const clean = redactSecrets(text).replace(/\s+/g, ' ').trim()
  return clean.length <= LONGEST_TASK ? clean : clean.slice(0, LONGEST_TASK).trim()
}
