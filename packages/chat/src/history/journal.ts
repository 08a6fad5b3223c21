import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Context } from '@precis/core'
import type { ContextWindow } from '@precis/core/models'
import type { ModelMessage } from 'ai'
import { ChatError, readErrorCode } from '../contract/chat-agent.ts'
import type { FilePort } from '../contract/ports.ts'
import { ChatHistory } from './chat-history.ts'
import type { ChatHeader, HistoryEntry } from './history-entry.ts'

/**
 * The history in memory and in the file, which are always the same. No other process writes to the
 * file.
 */
export class ChatJournal {
  history = new ChatHistory()
  /**
   * At most one error of the disk, which does not end a chat. Emptied after it was shown to the
   * user.
   */
  readonly failures: Error[] = []
  readonly #path: string
  readonly #explainError: FilePort['explainError']
  readonly #lease: ReturnType<FilePort['acquireLease']> | undefined
  #pending: readonly HistoryEntry[] = []
  #wholeBytes: number | undefined
  #descriptor: number | undefined
  #isFlushed = true
  #isBroken = false
  #isClosed = false

  /**
   * The file is created with the first entry, readable by its owner only. Throws an error with a
   * code while another process has it open.
   */
  constructor(path: string, { acquireLease, explainError }: FilePort) {
    this.#path = path
    this.#explainError = explainError
    try {
      this.#lease = acquireLease(path)
    } catch (error) {
      const code = readErrorCode(error)
      if (code === undefined || code === 'in-use') throw error
      this.#fail(error)
    }
  }

  /** Undefined after a failed write. From then on there is no file. */
  get path(): string | undefined {
    return this.#isBroken ? undefined : this.#path
  }

  /** Writes a header before the first entry. */
  begin(header: ChatHeader): void {
    this.#pending = [header]
  }

  /**
   * Takes over a history that was read from the file. Any bytes after `wholeBytes` belong to an
   * incomplete write, and the next entry removes them.
   */
  goOn(history: ChatHistory, wholeBytes: number): void {
    this.history = history
    this.#wholeBytes = wholeBytes
  }

  /** The entries are in the file when it returns, so they survive the end of this process. */
  record(...entries: readonly HistoryEntry[]): void {
    const numbered = entries.map((entry) => this.#apply(entry))
    // What ends late, after another process may have the file.
    if (this.#isBroken || this.#isClosed) return
    try {
      const lines = [...this.#pending, ...numbered].map(
        (entry) => `${JSON.stringify(entry, replaceBytes)}\n`,
      )
      const bytes = Buffer.from(lines.join(''))
      this.#descriptor ??= this.#open()
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.#descriptor, bytes, written)
      this.#isFlushed = false
      this.#pending = []
    } catch (error) {
      this.#fail(this.#explain(error))
    }
  }

  /**
   * Records the present history if it differs from the recorded one. A rewrite is for good: the
   * messages before it broke a rule of the present model.
   */
  recordChange(
    reason: 'compression' | 'undo' | 'rewrite',
    messages: readonly ModelMessage[],
  ): void {
    const { all, current } = this.history
    const isLonger = current.every((number, at) => all[number] === messages[at])
    if (reason !== 'undo' && isLonger) {
      for (const message of messages.slice(current.length))
        this.record({ type: 'message', message })
      return
    }
    const parts = this.history.describe(messages)
    this.record(
      reason === 'rewrite'
        ? { type: 'history', reason: 'compression', isFinal: true, parts }
        : { type: 'history', reason, parts },
    )
  }

  #apply(entry: HistoryEntry): HistoryEntry {
    const number = this.history.all.length
    this.history.apply(entry)
    return entry.type === 'message' || entry.type === 'history' ? { ...entry, number } : entry
  }

  /** The entries are on the disk when it resolves, so they survive the end of the machine. */
  async flush(): Promise<void> {
    if (!this.#isBroken) await this.#synchronize()
  }

  async close(): Promise<void> {
    await this.#synchronize()
    this.#isClosed = true
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#lease?.release()
  }

  async #synchronize(): Promise<void> {
    if (this.#descriptor === undefined || this.#isFlushed) return
    this.#isFlushed = true
    await promisify(fsync)(this.#descriptor).catch((error) => this.#fail(this.#explain(error)))
  }

  #open(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    const opened = openSync(
      this.#path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
      0o600,
    )
    const whole = this.#wholeBytes
    if (whole === undefined) return opened
    if (fstatSync(opened).size > whole) ftruncateSync(opened, whole)
    const last = Buffer.alloc(1)
    readSync(opened, last, 0, 1, whole - 1)
    if (last.toString() !== '\n') writeSync(opened, '\n')
    return opened
  }

  #explain(error: unknown): unknown {
    if (readErrorCode(error) === undefined) return error
    return new ChatError(
      'unwritable',
      `Writing the history "${this.#path}": ${this.#explainError(error)}.`,
    )
  }

  #fail(error: unknown): void {
    if (!(error instanceof Error)) throw error
    if (!this.#isBroken) this.failures.push(error)
    this.#isBroken = true
  }
}

/** Images sometimes come as bytes. The AI SDK treats base64 the same way. */
function replaceBytes(this: unknown, key: string, value: unknown): unknown {
  // Buffers have already been turned into objects here.
  const original: unknown =
    typeof this === 'object' && this !== null ? Reflect.get(this, key) : value
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64')
  return value
}

/** A context whose changes are all in the history before anything else sees them. */
export interface ChatContext extends Context<ModelMessage> {
  /** Continues on the same messages with the present settings. */
  renew(): void
}

interface RecordedContextOptions extends Partial<ContextWindow> {
  readonly journal: ChatJournal
  readonly model: string
  /** A context on these messages, with the pins of the journal. */
  readonly create: (
    messages: readonly ModelMessage[],
    model: string,
    windowTokens: number | undefined,
  ) => Context<ModelMessage>
  /** Overrides the catalog. */
  readonly findWindow: (model: string) => number | undefined
}

/**
 * Undo reaches further back than in a single context. For compressions from before the chat was
 * resumed, it opens a new context on the earlier messages.
 */
export function createRecordedContext({
  journal,
  findWindow,
  create,
  ...first
}: RecordedContextOptions): ChatContext {
  const { history } = journal
  let { model, windowTokens } = first
  let revisions = 0
  const messages = history.current.flatMap((number) => history.all[number] ?? [])
  let inner = create(messages, model, windowTokens)
  // Each moves a listener to the present context.
  const moves = new Set<() => void>()
  const on: ChatContext['on'] = (name, listener) => {
    let end = inner.on(name, listener)
    const move = () => {
      end()
      end = inner.on(name, listener)
    }
    moves.add(move)
    return () => {
      moves.delete(move)
      end()
    }
  }
  // These listeners come first, so a change is in the history before all other listeners hear of
  // it.
  on('compression-applied', () => journal.recordChange('compression', inner.messages))
  on('model-switched', ({ to }) => {
    model = to
    windowTokens = findWindow(to)
    journal.record({ type: 'model', model, windowTokens })
  })
  const replace = (next: readonly ModelMessage[]) => {
    revisions += inner.state.revision + 1
    inner = create(next, model, windowTokens)
    for (const move of moves) move()
  }
  /** Runs what may change the history, and records the result even if no event did. */
  const recordAfter = async <T>(
    work: Promise<T>,
    reason: 'compression' | 'rewrite' = 'compression',
  ): Promise<T> => {
    try {
      return await work
    } finally {
      journal.recordChange(reason, inner.messages)
    }
  }
  const withWindow = <Given extends Partial<ContextWindow>>(name: string, given?: Given) => ({
    ...given,
    windowTokens: given?.windowTokens ?? findWindow(name),
  })
  return {
    get state() {
      return {
        ...inner.state,
        revision: inner.state.revision + revisions,
        undoable: history.undoable.length,
      }
    },
    get pins() {
      return inner.pins
    },
    get messages() {
      return inner.messages
    },
    snapshot: () => inner.snapshot(),
    load: () => inner.load(),
    append: (...added) => {
      // Content that the format does not know must not get into the file.
      inner.append(...added)
      journal.record(...added.map((message) => ({ type: 'message' as const, message })))
    },
    prepare: (given) => recordAfter(inner.prepare(given)),
    recordUsage: (usage) => inner.recordUsage(usage),
    compress: (given) => recordAfter(inner.compress(given)),
    previewSwitch: (name, given) => inner.previewSwitch(name, withWindow(name, given)),
    switchModel: (name, given) =>
      recordAfter(inner.switchModel(name, withWindow(name, given)), 'rewrite'),
    undo: () => {
      if (inner.state.isCompressing) return false
      if (!inner.undo()) {
        const before = history.takeBack()
        if (!before) return false
        replace(before)
      }
      journal.recordChange('undo', inner.messages)
      return true
    },
    send: (send, given) => recordAfter(inner.send(send, given)),
    pin: (text) => {
      inner.pin(text)
      journal.record({ type: 'pin', text })
    },
    unpin: (text) => {
      const hasEnded = inner.unpin(text)
      if (hasEnded) journal.record({ type: 'unpin', text })
      return hasEnded
    },
    listPins: () => inner.listPins(),
    advise: () => inner.advise(),
    renew: () => replace(inner.messages),
    on,
  }
}
