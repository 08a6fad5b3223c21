import { findModel, priceTokens, type SummaryUsage, type SwitchResult } from '@precis/core'
import { createChannel } from './channel.ts'
import type { ChatAgent, ChatEvent, ResumedChat, Spent } from './chat-agent.ts'
import type { ChatSettings } from './chat-settings.ts'
import { type ConnectedModel, connectModel, type ModelSettings } from './models/connect-model.ts'
import { describeModel, listModels } from './models/list-models.ts'
import { recallMessages, renderRecalled } from './recall-messages.ts'
import { runTurn, type TurnSurroundings } from './turn/run-turn.ts'

export interface AgentOptions extends Omit<TurnSurroundings, 'model' | 'redact' | 'recall' | 'summarizer'> {
  readonly spending: Spending
  readonly chatSettings: ChatSettings
  readonly notices: readonly string[]
  readonly connected: ConnectedModel
  readonly settings: ModelSettings
  readonly resumed: ResumedChat | undefined
  /** What the person has not been told yet; emptied when they are. */
  readonly failures: Error[]
}

// A shorter one would be found in ordinary text.
const SHORTEST_KEY = 8
const RECALL_CHARACTERS = 8000

/** Everything is there already; this puts it behind the face that a screen knows. */
export function createAgent(options: AgentOptions): ChatAgent {
  const { context, journal, settings, resumed, failures, spending, chatSettings } = options
  let { connected } = options
  const keys = new Set<string>()
  const connect = (model: ConnectedModel) => {
    connected = model
    if (model.key.length >= SHORTEST_KEY) keys.add(model.key)
  }
  connect(connected)
  const recall = (query: string) => recallMessages(journal.history, query)
  const surroundings: TurnSurroundings = {
    ...options,
    model: () => connected,
    summarizer: () => chatSettings.texts.summarizer,
    redact: (text) => [...keys].reduce((clean, key) => clean.replaceAll(key, '[key]'), text),
    recall: (query) => renderRecalled(recall(query), RECALL_CHARACTERS),
  }
  const closing = new AbortController()
  let running: Promise<void> | undefined

  async function* send(text: string, given: { readonly signal: AbortSignal }): AsyncGenerator<ChatEvent> {
    if (running || closing.signal.aborted) {
      yield { type: 'error', message: running ? 'The answer before this one is not finished.' : 'The chat is closed.' }
      yield { type: 'done', isInterrupted: false }
      return
    }
    const left = new AbortController()
    const signal = AbortSignal.any([given.signal, left.signal, closing.signal])
    const channel = createChannel<ChatEvent>()
    const emit = (event: ChatEvent) => {
      if (event.type === 'usage') spending.add({ ...event.usage, calls: 1 }, event.dollars)
      channel.push(event)
    }
    const turn = runTurn(text, surroundings, { emit, signal })
      .catch((error: unknown) => emit({ type: 'error', message: `precis failed: ${String(error)}` }))
      .finally(() => {
        for (const { message } of failures.splice(0))
          emit({ type: 'error', message, hint: 'The chat goes on without a history.' })
        channel.end()
      })
    running = turn
    try {
      yield* channel
    } finally {
      left.abort()
      await turn
      running = undefined
    }
    yield { type: 'done', isInterrupted: given.signal.aborted || closing.signal.aborted }
  }

  return {
    context,
    resumed,
    get model() {
      return connected.name
    },
    get historyFile() {
      return journal.path
    },
    get spent() {
      return spending.spent
    },
    send,
    get settings() {
      return chatSettings.texts
    },
    notices: options.notices,
    changeSetting: async (name, text) => {
      if (context.state.isCompressing) throw new Error('A compression runs; wait for it or cancel it.')
      await chatSettings.change(name, text)
      context.renew()
      journal.record({ type: 'setting', name, ...(text !== undefined && { text }) })
    },
    listModels: () => listModels(connected.name, settings),
    findModel: (name) => describeModel(connectModel(name, settings).name, settings),
    switchModel: async (name, { signal }): Promise<SwitchResult> => {
      const next = connectModel(name, settings)
      const result = await context.switchModel(next.name, { signal })
      if (result.type === 'switched') connect(next)
      return result
    },
    recall,
    close: async () => {
      closing.abort()
      await running
      await journal.close()
    },
  }
}

/** The cost of a chat so far. */
export interface Spending {
  readonly spent: Spent
  /** `dollars` is undefined where a price is not known. */
  add(usage: SummaryUsage, dollars: number | undefined): void
  /** Of summaries that a model wrote, at the prices of the catalogue. */
  addSummary(usage: SummaryUsage, name: string): void
}

export function createSpending(): Spending {
  let spent: Spent = { inputTokens: 0, outputTokens: 0, requests: 0, dollars: 0 }
  const add: Spending['add'] = ({ calls, inputTokens, outputTokens }, dollars) => {
    spent = {
      inputTokens: spent.inputTokens + inputTokens,
      outputTokens: spent.outputTokens + outputTokens,
      requests: spent.requests + calls,
      dollars: spent.dollars === undefined || dollars === undefined ? undefined : spent.dollars + dollars,
    }
  }
  return {
    get spent() {
      return spent
    },
    add,
    addSummary: (usage, name) => {
      const { inputTokens: input, outputTokens: output } = usage
      const { pricesPerMillionTokens: prices } = findModel(name)
      const billed = { input, output, cachedInput: 0, cacheWrite: 0, cacheWriteLong: 0 }
      add(usage, input + output === 0 ? 0 : prices && priceTokens(billed, prices))
    },
  }
}
