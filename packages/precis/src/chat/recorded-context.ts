/** A context of which every change is in the history before anybody sees it. */
import type { Context, ContextEvents } from '@precis/core'
import type { ModelMessage } from 'ai'
import type { Journal } from './history/journal.ts'

export interface ChatContext extends Context<ModelMessage> {
  /** Goes on with the settings that hold now, on the same messages. */
  renew(): void
}

export interface RecordedContextOptions {
  readonly journal: Journal
  readonly model: string
  readonly windowTokens: number | undefined
  /** A context on these messages, with the pins of the journal. */
  readonly create: (
    messages: readonly ModelMessage[],
    model: string,
    windowTokens: number | undefined,
  ) => Context<ModelMessage>
  /** Where the catalogue is to be overruled. */
  readonly findWindow: (model: string) => number | undefined
}

const EVENT_NAMES = Object.keys({
  'compression-planned': 0,
  'compression-started': 0,
  'compression-applied': 0,
  'compression-skipped': 0,
  'compression-failed': 0,
  'compression-deferred': 0,
  'model-switched': 0,
} satisfies Record<keyof ContextEvents, 0>) as (keyof ContextEvents)[]

type Listeners = { readonly [Name in keyof ContextEvents]: Set<(event: ContextEvents[Name]) => void> }

/**
 * Undo reaches further back than in a context of its own: what was compressed before the chat was resumed is taken back by
 * a new context on the messages of before.
 */
export function createRecordedContext(options: RecordedContextOptions): ChatContext {
  const { journal, findWindow } = options
  const { history } = journal
  let { model, windowTokens } = options
  let revisions = 0
  const listeners = createListeners()
  const follow = (context: Context<ModelMessage>) => {
    const forward = <Name extends keyof ContextEvents>(name: Name) =>
      context.on(name, (event) => {
        if (context !== inner) return
        if (name === 'compression-applied') journal.recordChange('compression', inner.messages)
        for (const listener of listeners[name]) listener(event)
      })
    for (const name of EVENT_NAMES) forward(name)
    context.on('model-switched', ({ to }) => {
      if (context !== inner) return
      model = to
      windowTokens = findWindow(to)
      journal.record({ type: 'model', model, ...(windowTokens !== undefined && { windowTokens }) })
    })
  }
  const currentMessages = () => history.current.flatMap((number) => history.all[number] ?? [])
  let inner = options.create(currentMessages(), model, windowTokens)
  follow(inner)
  const replace = (messages: readonly ModelMessage[]) => {
    revisions += inner.state.revision + 1
    inner = options.create(messages, model, windowTokens)
    follow(inner)
  }
  /** Runs what may change the history, and records it in case no event told. */
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      journal.recordChange('compression', inner.messages)
    }
  }
  const withWindow = (name: string, given: { readonly windowTokens?: number } = {}) => {
    const window = given.windowTokens ?? findWindow(name)
    return { ...given, ...(window !== undefined && { windowTokens: window }) }
  }
  return {
    get state() {
      return { ...inner.state, revision: inner.state.revision + revisions, undoable: history.undoable.length }
    },
    get messages() {
      return inner.messages
    },
    append: (...messages) => {
      // What the format does not know must not get into the file.
      inner.append(...messages)
      journal.record(...messages.map((message) => ({ type: 'message' as const, message })))
    },
    prepare: (given) => settle(inner.prepare(given)),
    recordUsage: (usage) => inner.recordUsage(usage),
    compress: (given) => settle(inner.compress(given)),
    previewSwitch: (name, given) => inner.previewSwitch(name, withWindow(name, given)),
    switchModel: (name, given) => settle(inner.switchModel(name, { ...given, ...withWindow(name, given) })),
    undo: () => {
      if (inner.state.isCompressing) return false
      if (inner.undo()) {
        journal.recordChange('undo', inner.messages)
        return true
      }
      const before = history.takeBack()
      if (!before) return false
      replace(before)
      journal.recordChange('undo', before)
      return true
    },
    send: (send, given) => settle(inner.send(send, given)),
    pin: (text) => {
      inner.pin(text)
      journal.record({ type: 'pin', text })
    },
    advise: () => inner.advise(),
    renew: () => replace(inner.messages),
    on: (name, listener) => {
      listeners[name].add(listener)
      return () => listeners[name].delete(listener)
    },
  }
}

function createListeners(): Listeners {
  return {
    'compression-planned': new Set(),
    'compression-started': new Set(),
    'compression-applied': new Set(),
    'compression-skipped': new Set(),
    'compression-failed': new Set(),
    'compression-deferred': new Set(),
    'model-switched': new Set(),
  }
}
