/** A chat agent for tests. The request contains what it should do. */

import { setTimeout as wait } from 'node:timers/promises'
import type {
  Context,
  ContextCompression,
  ContextState,
  Refusal,
  Report,
  SwitchPreview,
} from '@precis/core'
import { createSummaryMessage, readText } from '@precis/core/conversation'
import type { ModelMessage } from 'ai'
import {
  type ChatAgent,
  ChatError,
  type ChatEvent,
  type ChatModel,
} from '../contract/chat-agent.ts'

export interface FakeOptions {
  readonly resume?: string
  /** Duration of one step of a compression. */
  readonly stepMs?: number
}

const WINDOW_TOKENS = 20_000

export function createFakeAgent({ resume, stepMs = 20 }: FakeOptions): ChatAgent {
  let messages: ModelMessage[] = resume === undefined ? [] : createHistory()
  let before: ModelMessage[] | undefined
  let model = 'fake/large'
  let isCompressing = false
  const pins: string[] = []
  const spent = { requests: 0, dollars: 0, rows: [] }

  const countTokens = () => 1200 + Math.round(JSON.stringify(messages).length / 4)
  const append = (...added: ModelMessage[]) => {
    messages = [...messages, ...added]
  }
  const compressNow = (trigger: ContextCompression['trigger']): ContextCompression => {
    const tokensBefore = countTokens()
    before = messages
    messages = [{ role: 'user', content: SUMMARY }, ...messages.slice(-2)]
    return {
      trigger,
      outcome: { type: 'compressed' },
      report: createReport(),
      tokensBefore,
      tokensAfter: countTokens(),
    }
  }
  const context: Context<ModelMessage> = {
    get state(): ContextState {
      return {
        model,
        modelKnown: true,
        windowTokens: WINDOW_TOKENS,
        thresholdTokens: WINDOW_TOKENS * 0.8,
        reserveTokens: WINDOW_TOKENS * 0.2,
        tokens: countTokens(),
        isEstimated: false,
        fixedTokens: 1200,
        needsCompression: false,
        isCompressing,
        isPrepared: false,
        revision: 0,
        failures: 0,
        isPaused: false,
        pins,
        undoable: before ? 1 : 0,
      }
    },
    pins,
    load: async () => {},
    snapshot: () => ({ type: 'precis-context-1', format: 'ai-sdk', state: {} }),
    get messages() {
      return messages
    },
    append,
    prepare: () => Promise.reject(new Error('not in this fake')),
    recordUsage: () => {},
    async compress({ signal, onProgress, instructions } = {}) {
      isCompressing = true
      try {
        for (const step of ['measure', 'plan', 'summarize', 'check']) {
          onProgress?.(step, 1, step === 'summarize' ? 3 : 1)
          await wait(stepMs, undefined, { signal })
        }
        if (instructions === 'nothing') {
          const tokens = countTokens()
          const outcome = { type: 'unchanged', reason: 'too-few-messages' } as const
          return {
            trigger: 'manual',
            outcome,
            report: undefined,
            tokensBefore: tokens,
            tokensAfter: tokens,
          }
        }
        return compressNow('manual')
      } catch {
        const tokens = countTokens()
        return {
          trigger: 'manual',
          outcome: { type: 'aborted' },
          report: undefined,
          tokensBefore: tokens,
          tokensAfter: tokens,
        }
      } finally {
        isCompressing = false
      }
    },
    async previewSwitch(to) {
      await wait(stepMs)
      return createPreview(model, to, countTokens())
    },
    switchModel: () => Promise.reject(new Error('not in this fake')),
    undo() {
      if (!before) return false
      messages = before
      before = undefined
      return true
    },
    send: () => Promise.reject(new Error('not in this fake')),
    pin: (text) => void pins.push(text),
    unpin: (text) => pins.includes(text) && pins.splice(pins.indexOf(text), 1).length > 0,
    listPins: () => pins,
    advise: () => ({
      action: 'wait',
      reason: 'under-threshold',
      explanation: 'Below the threshold of 16,000 tokens.',
      tokens: countTokens(),
      thresholdTokens: WINDOW_TOKENS * 0.8,
      targetTokens: 8000,
      isCacheWarm: true,
      breakEvenRequests: Number.POSITIVE_INFINITY,
      dollars: undefined,
    }),
    on: () => () => {},
  }

  async function* send(
    text: string,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ChatEvent> {
    append({ role: 'user', content: text })
    const said: string[] = []
    let isInterrupted = false
    try {
      for await (const event of script(text, signal)) {
        if (event.type === 'text') said.push(event.delta)
        yield event
      }
    } catch {
      isInterrupted = true
    }
    append({ role: 'assistant', content: said.join('') || '(nothing)' })
    spent.requests++
    spent.dollars += 0.011
    yield {
      type: 'usage',
      model,
      usage: { inputTokens: countTokens(), outputTokens: 100 },
      dollars: 0.011,
    }
    yield { type: 'done', isInterrupted }
  }

  async function* script(text: string, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const [word = ''] = text.split(' ')
    if (word === 'slow') {
      for (let count = 1; ; count++) {
        await wait(20, undefined, { signal })
        yield { type: 'text', delta: `word${count} ` }
      }
    } else if (word === 'tool') {
      yield { type: 'reasoning', delta: '**Looking** at the file first.' }
      yield { type: 'text', delta: 'Let me look.' }
      yield { type: 'tool-call', callId: 'a', name: 'read_file', input: { path: 'src/cart.ts' } }
      yield {
        type: 'tool-result',
        callId: 'a',
        name: 'read_file',
        output: 'one\ntwo\nthree\n',
        isError: false,
      }
      yield { type: 'tool-call', callId: 'b', name: 'search', input: { text: 'tax' } }
      yield {
        type: 'tool-result',
        callId: 'b',
        name: 'search',
        output: 'src/cart.ts\ncannot be read\n',
        isError: true,
      }
      yield { type: 'text', delta: 'One file cannot be read.' }
    } else if (word === 'retry') {
      yield { type: 'reasoning', delta: 'A first thought.' }
      yield { type: 'text', delta: 'A first try.' }
      yield { type: 'tool-call', callId: 'r', name: 'read_file', input: { path: 'first.ts' } }
      yield { type: 'retry', message: 'it broke off', delayMs: 0, attempt: 2, attempts: 10 }
      yield { type: 'text', delta: 'A whole answer.' }
    } else if (word === 'hostile') {
      yield {
        type: 'tool-call',
        callId: 'h',
        name: `evil${HOSTILE}`,
        input: { path: `${HOSTILE}.ts` },
      }
      yield {
        type: 'tool-result',
        callId: 'h',
        name: 'evil',
        output: `${HOSTILE}\n`.repeat(3),
        isError: true,
      }
      for (const character of `Text ${HOSTILE} and\n\n\`\`\`sh\n${HOSTILE}\n\`\`\`\n[link${HOSTILE}](http://x/${HOSTILE})\n`) {
        yield { type: 'text', delta: character }
      }
      yield { type: 'error', message: `failed ${HOSTILE}`, hint: `hint ${HOSTILE}` }
    } else if (word === 'fail') {
      yield { type: 'error', message: 'The provider is not there.', hint: 'Try again later.' }
    } else if (word === 'full') {
      yield { type: 'compression', compression: compressNow('threshold') }
      yield { type: 'text', delta: 'There is room again.' }
    } else if (word === 'long') {
      for (let line = 1; line <= 60; line++)
        yield { type: 'text', delta: `- item ${line} of a long list\n` }
    } else if (word === 'crash') {
      setTimeout(() => {
        throw new Error('a bug on purpose')
      }, 1)
      await wait(10_000, undefined, { signal })
    } else {
      for (const delta of MARKDOWN.split(/(?<= )/)) yield { type: 'text', delta }
    }
  }

  return {
    context,
    get model() {
      return model
    },
    resumed:
      resume === undefined
        ? undefined
        : {
            from: 'claude-code',
            id: resume,
            messages: messages.length,
            repairedCalls: 1,
            damage: { lines: 0, lineNumbers: [], cutOffBytes: 0 },
          },
    historyFile: '/home/me/.local/share/precis/chats/shop/0123456789ab.jsonl',
    spent,
    send,
    notices: [],
    settings: {},
    strategies: ['auto'],
    listResumable: () => [],
    changeSetting: () => Promise.reject(new Error('not in this fake')),
    listModels: () => MODELS,
    findModel: (name) => {
      const found = MODELS.find((known) => known.name === name)
      if (!found) throw new ChatError('unknown-model', `Unknown model "${name}".`)
      return found
    },
    async switchModel(name, { signal }) {
      await wait(stepMs, undefined, { signal })
      const preview = createPreview(model, name, countTokens())
      const explanation = `${name} is in use.`
      if (preview.verdict === 'same-model')
        return { outcome: { type: 'unchanged', reason: 'same-model' }, explanation, preview }
      model = name
      const switched = { outcome: { type: 'switched' }, explanation, preview } as const
      return preview.verdict === 'fits'
        ? switched
        : { ...switched, compression: compressNow('model-switch') }
    },
    recall: (query) =>
      query.includes('cart')
        ? [
            {
              role: 'user',
              position: 3,
              excerpt: `the cart adds the tax ${HOSTILE}`,
              text: 'the cart adds the tax',
            },
          ]
        : [],
    close: async () => {},
  }
}

/** Clears the screen, sets a title, reverses the text, and hides what follows. */
export const HOSTILE = '\u001b[2J\u001b]0;pwned\u0007\u009b31m\u202eEVIL\u0000'

const SUMMARY = readText(createSummaryMessage('The cart was fixed.'))

const MARKDOWN = `# The cart

The tax is added **twice**: once in \`addTax()\` and once in the total.

- first in the cart
- then in the total

\`\`\`ts
const total = net * 1.2
\`\`\`

| file | line |
|---|---|
| cart.ts | 12 |
`

const MODELS: readonly ChatModel[] = [
  {
    name: 'fake/large',
    windowTokens: 20_000,
    isKnown: true,
    pricesPerMillionTokens: { input: 3, output: 15 },
  },
  {
    name: 'fake/medium',
    windowTokens: 12_000,
    isKnown: true,
    pricesPerMillionTokens: { input: 1, output: 5 },
  },
  { name: 'fake/small', windowTokens: 4000, isKnown: true, pricesPerMillionTokens: undefined },
  {
    name: 'fake/tiny',
    windowTokens: 1000,
    isKnown: true,
    pricesPerMillionTokens: { input: 0.1, output: 0.4 },
  },
]

const REFUSAL: Refusal = {
  limit: 'tokens',
  isOverhead: false,
  item: `message 3 ${HOSTILE}`,
  itemTokens: 1400,
  budgetTokens: 900,
  smallestTokens: 1400,
}

function createPreview(from: string, to: string, tokens: number): SwitchPreview {
  const windowTokens = MODELS.find(({ name }) => name === to)?.windowTokens ?? WINDOW_TOKENS
  const verdicts: Readonly<Record<string, SwitchPreview['verdict']>> = {
    'fake/medium': 'fits',
    'fake/small': 'fits-after-summary',
    'fake/tiny': 'cannot-fit',
  }
  const verdict = from === to ? 'same-model' : (verdicts[to] ?? 'fits')
  const losses =
    verdict === 'fits-after-summary'
      ? [{ of: 'cache', amount: 900, explanation: '900 cached tokens are sent in full.' } as const]
      : []
  const safeTokens = windowTokens * 0.9
  const tokensAfter = Math.min(tokens, 2000)
  const sizes = { from, to, tokens, windowTokens, safeTokens, tokensAfter, losses }
  return verdict === 'cannot-fit' ? { ...sizes, verdict, refusal: REFUSAL } : { ...sizes, verdict }
}

function createHistory(): ModelMessage[] {
  return Array.from({ length: 12 }, (_, turn): ModelMessage[] => [
    { role: 'user', content: `Please fix step ${turn} of the cart.` },
    { role: 'assistant', content: `Step ${turn} is done: ${'the price is right. '.repeat(40)}` },
  ]).flat()
}

function createReport(): Report {
  const counts = { total: 12, verbatim: 9, retrievable: 0, missing: 3, stale: 0 }
  const words = { total: 12, verbatim: 9, clipped: 2, retrievable: 1, missing: 0 }
  const receipt = {
    kinds: { path: counts },
    appended: [],
    facts: [],
    words,
  } as unknown as Report['receipt']
  return {
    model: 'fake/large',
    modelKnown: true,
    strategy: 'auto',
    failures: [],
    summarizer: 'digest',
    problems: [],
    names: undefined,
    usage: undefined,
    budgetTokens: 8000,
    before: { tokens: 12_000, messages: 30 },
    after: { tokens: 3000, messages: 3 },
    spans: { head: 0, middle: 28, tail: 2 },
    rungs: [{ name: 'clear-tools', tokensBefore: 12_000, tokensAfter: 3000 }],
    attempts: [],
    receipt,
    cost: { before: 0.06, after: 0.015 },
  }
}
