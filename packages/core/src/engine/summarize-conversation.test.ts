import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { isSummary, readLedgerText } from '../conversation/summary-message.ts'
import { parseLedger } from '../facts/ledger-record.ts'
import { formats } from '../formats/index.ts'
import { countModelSummary } from './limits.ts'
import { summarizeConversation } from './summarize-conversation.ts'

const MODEL = 'claude-sonnet-4-5'
const WINDOW_TOKENS = 200_000

const parse = (messages: readonly object[]): Conversation =>
  formats['anthropic-messages'].parse({ model: MODEL, messages })
const says = (content: string) => ({ role: 'user', content })
const answers = (content: string) => ({ role: 'assistant', content })
const turn = (step: number) => [
  says(`Mend step ${step} now.`),
  answers(`src/step${step}.ts is mended since ${step}f9e.`),
]

async function summarize(conversation: Conversation, budgetTokens = 400) {
  const {
    outcome,
    conversation: result,
    report,
  } = await summarizeConversation(conversation, { budgetTokens })
  const [summary] = result.messages
  if (!summary) throw new Error('nothing is left')
  const words = parseLedger(readLedgerText(summary) ?? '').words.map(({ text }) => text)
  return { outcome, result, summary, words, report }
}

const goOn = (summary: Message, messages: readonly object[]): Conversation => {
  const rest = parse(messages)
  return { ...rest, messages: [summary, ...rest.messages] }
}

describe('a conversation as one summary', () => {
  test('is that summary alone, with all words of the user and what was done', async () => {
    const { outcome, result, summary, words } = await summarize(parse([...turn(1), ...turn(2)]))
    expect(outcome).toEqual({ type: 'compressed' })
    expect(result.messages.filter(isSummary)).toEqual([summary])
    expect(result.messages.filter(({ origin }) => origin === 'user')).toEqual([])
    expect(words).toEqual(['Mend step 1 now.', 'Mend step 2 now.'])
    expect(readText(summary)).toContain('src/step2.ts is mended')
  })

  test('of a summary and what came since has both, whatever the room', async () => {
    let summary: Message | undefined
    for (let step = 0; step < 10; step++) {
      const conversation = summary ? goOn(summary, turn(step)) : parse(turn(step))
      const next = await summarize(conversation, 1)
      expect(next.words).toEqual(
        Array.from({ length: step + 1 }, (_, index) => `Mend step ${index} now.`),
      )
      expect(readText(next.summary)).toContain(`src/step${step}.ts is mended`)
      summary = next.summary
    }
    expect(readText(summary ?? { role: 'user', origin: 'user', parts: [] })).toContain(
      'src/step0.ts is mended',
    )
  })

  test('says every message of usual length, however small the room that was asked for', {
    tags: 'property',
  }, async () => {
    const texts = fc.array(fc.stringMatching(/^[a-z][a-z ]{0,80}[a-z]$/), {
      minLength: 1,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 4400 }), async (said, budgetTokens) => {
        const { words } = await summarize(
          parse(said.flatMap((text) => [says(text), answers('Done.')])),
          budgetTokens,
        )
        expect(words).toEqual(said)
      }),
    )
  })

  test('grows for words of the user up to a tenth of the window, and counts what it leaves out', {
    tags: 'slow',
  }, async () => {
    const many = Array.from({ length: 1500 }, (_, step) => turn(step)).flat()
    const { report, summary } = await summarize(
      parse(many),
      countModelSummary(WINDOW_TOKENS, { contextWindowTokens: WINDOW_TOKENS }),
    )
    expect(report.after.tokens).toBeLessThan(WINDOW_TOKENS / 8)
    expect(report.after.tokens).toBeGreaterThan(WINDOW_TOKENS / 12)
    expect(parseLedger(readLedgerText(summary) ?? '').omitted.count).toBeGreaterThan(0)
  })

  test('of words without anything done is those words', async () => {
    expect((await summarize(parse([says('Hello.')]))).words).toEqual(['Hello.'])
  })

  test('takes a compaction of the provider that can be read over as what was before', async () => {
    const compacted = {
      role: 'assistant',
      content: [{ type: 'compaction', content: 'The port is 4711.' }],
    }
    const { summary } = await summarize(parse([says('Start.'), compacted, ...turn(1)]))
    expect(readText(summary)).toContain('The port is 4711.')
  })

  test('names an option that cannot be', async () => {
    const conversation = parse(turn(1))
    for (const [name, value] of [
      ['pins', 'keep it'],
      ['signal', 5],
      ['onProgress', 'x'],
      ['counter', {}],
      ['budgetTokens', Number.NaN],
    ] as const) {
      const options: object = { budgetTokens: 400, [name]: value }
      await expect(
        summarizeConversation(conversation, options as { budgetTokens: number }),
      ).rejects.toThrow(`Summarizing: ${name}`)
    }
    await expect(summarizeConversation({} as Conversation, { budgetTokens: 400 })).rejects.toThrow(
      'Summarizing: conversation is',
    )
  })

  test('by a summarizer that fails changes nothing', async () => {
    const conversation = parse([...turn(1), ...turn(2)])
    const summarizer = {
      name: 'own',
      summarize: async () => ({ text: '', problems: ['no connection'] }),
    }
    const result = await summarizeConversation(conversation, { budgetTokens: 400, summarizer })
    expect(result.outcome).toEqual({
      type: 'summary-failed',
      summarizer: 'own',
      problems: ['no connection'],
    })
    expect(result.conversation).toBe(conversation)
    const { outcome } = await summarizeConversation(parse([]), { budgetTokens: 400, summarizer })
    expect(outcome.type).toBe('unchanged')
  })

  test('of nothing changes nothing', async () => {
    const conversation = parse([])
    const { outcome, conversation: result } = await summarizeConversation(conversation, {
      budgetTokens: 400,
    })
    expect([outcome.type, result]).toEqual(['unchanged', conversation])
  })
})
