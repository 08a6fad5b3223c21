import type { SwitchResult } from '@precis/core'
import { createChannel } from './channel.ts'
import type { ChatAgent, ChatEvent, ResumedChat, Spent } from './chat-agent.ts'
import { type ConnectedModel, connectModel, type ModelSettings } from './models/connect-model.ts'
import { listModels } from './models/list-models.ts'
import { recallMessages, renderRecalled } from './recall-messages.ts'
import { runTurn, type TurnSurroundings } from './turn/run-turn.ts'

export interface AgentOptions extends Omit<TurnSurroundings, 'model' | 'redact' | 'recall'> {
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
  const { context, journal, settings, resumed, failures } = options
  let { connected } = options
  let spent: Spent = { inputTokens: 0, outputTokens: 0, requests: 0, dollars: 0 }
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
      if (event.type === 'usage') spent = addUsage(spent, event)
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
      return spent
    },
    send,
    listModels: () => listModels(connected.name, settings),
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

function addUsage(spent: Spent, { usage, dollars }: Extract<ChatEvent, { type: 'usage' }>): Spent {
  return {
    inputTokens: spent.inputTokens + usage.inputTokens,
    outputTokens: spent.outputTokens + usage.outputTokens,
    requests: spent.requests + 1,
    dollars: spent.dollars === undefined || dollars === undefined ? undefined : spent.dollars + dollars,
  }
}
