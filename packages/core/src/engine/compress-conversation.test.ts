import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf, runs } from '../../../../test/property-runs.ts'
import {
  agent,
  conversationOf,
  exchanges,
  histories,
  person,
  result,
} from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import {
  type Conversation,
  type Message,
  type Protocol,
  readText,
} from '../conversation/message.ts'
import {
  createSummaryMessage,
  isSummary,
  readLedgerText,
  readSummary,
} from '../conversation/summary-message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import { findModel } from '../models/find-model.ts'
import {
  middleOut,
  oneShot,
  type Strategy,
  tailSummary,
  topDownTruncation,
} from '../strategies/index.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto, type Ladder } from './ladder.ts'

const countTokens = (conversation: Conversation) =>
  createTokenCounter(findModel('gpt-5')).countConversation(conversation).upper

/** A long agentic history: requests with rounds of calls and bulky results. */
function workOf(rounds: number): Conversation {
  const steps = Array.from({ length: rounds }, (_, index) => [
    ...(index % 10 === 0
      ? [person(`Request ${index}: please fix module ${index} and never touch main.ts`)]
      : []),
    agent(`I look at module ${index}.`, `c${index}`),
    result(`c${index}`, `line of module ${index}\n`.repeat(60)),
  ])
  return conversationOf([...steps.flat(), person('the last wish of the person'), agent('done')])
}

/** Those that reach any target; the others clear what they may, and leave the rest to a ladder. */
const reaching: readonly (Strategy | Ladder)[] = [
  auto,
  middleOut,
  tailSummary,
  oneShot,
  topDownTruncation,
]

describe.each(casesOf(reaching, 2))(
  'compressConversation with $name',
  { tags: 'property' },
  (strategy) => {
    test('the result is valid, within the budget and ends with the last request, or it is refused', {
      tags: 'property',
    }, async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.double({ min: 0.05, max: 0.9, noNaN: true }),
          async (conversation, share) => {
            const budgetTokens = Math.floor(countTokens(conversation) * share)
            const {
              outcome,
              conversation: output,
              report,
            } = await compressConversation(conversation, { strategy, budgetTokens })
            if (outcome.type === 'cannot-fit') {
              expect(output).toBe(conversation)
              expect(outcome.refusal.smallestTokens).toBeGreaterThan(0)
              expect(outcome.refusal.item).not.toBe('')
              return
            }
            expect(outcome.type).toBe('compressed')
            expect(countTokens(output)).toBeLessThanOrEqual(budgetTokens)
            expect(report.after.tokens).toBe(countTokens(output))
            expect(checkInvariants(output)).toEqual([])
            const request = findLastUserRequest(conversation.messages)
            if (request !== undefined)
              expect(output.messages).toContain(conversation.messages[request])
          },
        ),
        { numRuns: runs(60, 8) },
      )
    })

    test('the same conversation gives the same result', { tags: 'slow' }, async () => {
      const options = { strategy, budgetTokens: 4_000 }
      const [first, second] = [
        await compressConversation(workOf(80), options),
        await compressConversation(workOf(80), options),
      ]
      expect(second).toEqual(first)
    })

    test('a result that fits is not compressed again', async () => {
      const options = { strategy, budgetTokens: 4_000 }
      const { conversation } = await compressConversation(workOf(80), options)
      const again = await compressConversation(conversation, options)
      expect(again.outcome).toEqual({ type: 'unchanged', reason: 'already-under-target' })
      expect(again.conversation).toBe(conversation)
    })

    test('messages that stay are the very objects that came in', async () => {
      const conversation = workOf(80)
      const { conversation: output } = await compressConversation(conversation, {
        strategy,
        budgetTokens: 4_000,
      })
      const given = new Set(conversation.messages)
      const made = output.messages.filter((message) => !given.has(message))
      expect(
        made.every((message) => isSummary(message) || readText(message) === 'Understood.'),
      ).toBe(true)
      expect(made.filter(isSummary)).toHaveLength(1)
    })

    test('the conversation that was given is never changed', async () => {
      const conversation = workOf(40)
      const before = structuredClone(conversation)
      await compressConversation(conversation, { strategy, budgetTokens: 2_000 })
      expect(conversation).toEqual(before)
    })

    test.each(
      casesOf<Protocol>(
        ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-contents'],
        2,
      ),
    )('the result obeys every rule of %s', { tags: 'property' }, async (protocol) => {
      let compressed = 0
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.double({ min: 0.1, max: 0.9, noNaN: true }),
          async (history, share) => {
            const conversation = { ...history, protocol }
            const budgetTokens = Math.floor(countTokens(conversation) * share)
            const { outcome, conversation: output } = await compressConversation(conversation, {
              strategy,
              budgetTokens,
            })
            if (outcome.type !== 'compressed') return
            compressed++
            expect(checkInvariants(output)).toEqual([])
          },
        ),
        { numRuns: runs(200, 8) },
      )
      expect(compressed).toBeGreaterThan(0)
    })

    test('one summary is live at most, wherever an older one stands', {
      tags: 'property',
    }, async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.nat(40),
          fc.double({ min: 0.1, max: 0.9, noNaN: true }),
          async (history, place, share) => {
            const messages: Message[] = [...history.messages]
            messages.splice(
              Math.min(place, messages.length),
              0,
              createSummaryMessage('what happened '.repeat(50)),
            )
            const conversation = { ...history, messages }
            const budgetTokens = Math.floor(countTokens(conversation) * share)
            const { conversation: output } = await compressConversation(conversation, {
              strategy,
              budgetTokens,
            })
            expect(output.messages.filter(isSummary).length).toBeLessThanOrEqual(1)
          },
        ),
        { numRuns: runs(150, 8) },
      )
    })

    test('a budget of exactly its tokens changes nothing, one token less does', async () => {
      const conversation = workOf(40)
      const total = countTokens(conversation)
      const same = await compressConversation(conversation, { strategy, budgetTokens: total })
      expect(same.outcome).toEqual({ type: 'unchanged', reason: 'already-under-target' })
      const { outcome, report } = await compressConversation(conversation, {
        strategy,
        budgetTokens: total - 1,
      })
      expect(outcome.type).toBe('compressed')
      expect(report.after.tokens).toBeLessThan(total)
    })

    test('a history of nothing but 200 tool rounds is compressed', async () => {
      const rounds = Array.from({ length: 200 }, (_, i) => [
        agent('', `c${i}`),
        result(`c${i}`, 'line\n'.repeat(50)),
      ])
      const conversation = conversationOf([person('go'), ...rounds.flat()])
      const { outcome, conversation: output } = await compressConversation(conversation, {
        strategy,
        budgetTokens: 4_000,
      })
      expect(outcome.type).toBe('compressed')
      expect(output.messages.at(-1)).toBe(conversation.messages.at(-1))
      expect(output.messages).toContain(conversation.messages[0])
    })

    test('a call in flight and all behind it stay', async () => {
      const { messages } = workOf(60)
      const waiting = [agent('two at once', 'wait1', 'wait2'), result('wait1')]
      const conversation = conversationOf([...messages, ...waiting])
      const { outcome, conversation: output } = await compressConversation(conversation, {
        strategy,
        budgetTokens: 4_000,
      })
      expect(outcome.type).toBe('compressed')
      expect(output.messages.slice(-2)).toEqual(waiting)
    })

    test.each([Number.NaN, -1])('a budget of %d tokens is refused', async (budgetTokens) => {
      await expect(compressConversation(workOf(5), { strategy, budgetTokens })).rejects.toThrow(
        /budgetTokens/,
      )
    })

    test('a broken history comes out valid', async () => {
      const { messages } = workOf(60)
      const broken = conversationOf([
        result('nobody asked'),
        ...messages.slice(0, 40),
        ...messages.slice(41),
      ])
      expect(checkInvariants(broken)).not.toEqual([])
      const { outcome, conversation } = await compressConversation(broken, {
        strategy,
        budgetTokens: 4_000,
      })
      expect(outcome.type).toBe('compressed')
      expect(checkInvariants(conversation)).toEqual([])
    })
  },
)

describe('compressConversation', () => {
  test.each(reaching.filter((strategy) => strategy !== auto))(
    'one giant message that has to stay is refused by name with $name',
    async (strategy) => {
      const giant = conversationOf([
        ...exchanges(10),
        person(`read this: ${'word '.repeat(5_000)}`),
      ])
      const { outcome } = await compressConversation(giant, { strategy, budgetTokens: 1_000 })
      expect(outcome).toMatchObject({
        type: 'cannot-fit',
        refusal: { item: 'the last request of the user', budgetTokens: 1_000 },
      })
    },
  )

  test('compressing eight times in a row leaves one summary and the head byte-identical', {
    tags: 'slow',
  }, async () => {
    let conversation = workOf(100)
    const heads: string[] = []
    for (let generation = 0; generation < 8; generation++) {
      const { outcome, conversation: output } = await compressConversation(conversation, {
        budgetTokens: 6_000,
      })
      expect(outcome.type).toBe('compressed')
      expect(output.messages.filter(isSummary)).toHaveLength(1)
      heads.push(JSON.stringify(output.messages.slice(0, output.messages.findIndex(isSummary))))
      const more = workOf(40).messages.map((message, index) =>
        index === 0 ? person(`Round ${generation}`) : message,
      )
      conversation = { ...output, messages: [...output.messages, ...more] }
    }
    expect(new Set(heads).size).toBe(1)
  })

  test('the head never shrinks and keeps its beginning over eight rounds, whatever share and budget they have', {
    tags: 'slow',
  }, async () => {
    let conversation = workOf(100)
    let head: readonly Message[] = []
    for (const [generation, fraction] of [0.15, 0.05, 0.2, 0.01, 0.25, 0.1, 0.3, 0.02].entries()) {
      const compression = await compressConversation(conversation, {
        budgetTokens: 6_000 + (generation % 3) * 1_500,
        keep: { head: { fraction } },
      })
      expect(compression.outcome.type).toBe('compressed')
      const { messages } = compression.conversation
      const next = messages.slice(0, messages.findIndex(isSummary))
      expect(next.length).toBeGreaterThanOrEqual(Math.max(head.length, 1))
      head.forEach((message, index) => {
        expect(next[index]).toBe(message)
      })
      head = next
      conversation = {
        ...conversation,
        messages: [...messages, ...workOf(60 + generation * 10).messages],
      }
    }
  })

  test('a summary is acknowledged before a request, whoever is the provider, and nowhere else', async () => {
    const behindSummary = async (protocol: Protocol, messages: readonly Message[]) => {
      const options = { budgetTokens: 2_000, keep: { tail: { messages: 4 } } }
      const { conversation } = await compressConversation(
        conversationOf(messages, protocol),
        options,
      )
      const { role, origin } =
        conversation.messages[conversation.messages.findIndex(isSummary) + 1]!
      return `${role} ${origin}`
    }
    const rounds = Array.from({ length: 60 }, (_, i) => [
      agent('', `c${i}`),
      result(`c${i}`, 'line\n'.repeat(50)),
    ])
    const work = [person('go'), ...rounds.flat()]
    expect(await behindSummary('gemini-contents', exchanges(60))).toBe('assistant synthetic')
    expect(await behindSummary('gemini-contents', work)).toBe('assistant agent')
    expect(await behindSummary('anthropic-messages', exchanges(60))).toBe('assistant synthetic')
    expect(await behindSummary('openai-chat', work)).toBe('assistant agent')
  })

  test.each<[string, () => unknown, RegExp]>([
    ['comes back empty', async () => ({ text: ' \n' }), /"host": it gave no text/],
    [
      'exceeds its target',
      async () => ({ text: 'word '.repeat(50_000) }),
      /the result has \d+ tokens of 3000/,
    ],
    ['gives a number', async () => ({ text: 42 }), /an object whose text is a number/],
    ['gives nothing', async () => undefined, /it gave undefined/],
    ['gives a bare text', async () => 'done', /it gave a string/],
    [
      'throws',
      () => {
        throw new Error('no key is set')
      },
      /no key is set/,
    ],
    [
      'gives problems that are none',
      async () => ({ text: '', problems: 42, usage: null }),
      /it gave no text/,
    ],
  ])(
    'a summarizer that %s is named as what failed, and nothing is lost',
    async (_, summarize, problem) => {
      const conversation = workOf(60)
      const summarizer = { name: 'host', summarize } as Summarizer
      const given = await compressConversation(conversation, {
        budgetTokens: 3_000,
        summarizer,
        strategy: middleOut,
      })
      expect(given.outcome).toMatchObject({ type: 'summary-failed', summarizer: 'host' })
      expect('problems' in given.outcome ? given.outcome.problems.join() : '').toMatch(problem)
      expect(given.conversation).toBe(conversation)
      const byAuto = await compressConversation(conversation, { budgetTokens: 3_000, summarizer })
      expect(byAuto.outcome.type).toBe('compressed')
      expect(byAuto.report.problems.join()).toMatch(problem)
    },
  )

  test('a summarizer sees calls and results, and what stays beside its summary', async () => {
    const seen: { span: number; kept: number; hasResults: boolean }[] = []
    const watching: Summarizer = {
      name: 'watching',
      summarize: async ({ span, kept }) => {
        seen.push({
          span: span.length,
          kept: kept.length,
          hasResults: span.some(({ role }) => role === 'tool'),
        })
        return { text: 'short' }
      },
    }
    const conversation = workOf(60)
    await compressConversation(conversation, { budgetTokens: 3_000, summarizer: watching })
    expect(seen).toHaveLength(1)
    // The ledger stands beside the summary too.
    expect(seen[0]!.span + seen[0]!.kept).toBe(conversation.messages.length + 1)
    expect(seen[0]!.hasResults).toBe(true)
  })

  test('an abort rejects and changes nothing', async () => {
    const aborting = new AbortController()
    const slow: Summarizer = {
      name: 'slow',
      summarize: async () => {
        aborting.abort(new Error('stop'))
        return { text: 'late' }
      },
    }
    const options = { budgetTokens: 3_000, summarizer: slow, signal: aborting.signal }
    await expect(compressConversation(workOf(60), options)).rejects.toThrow('stop')
  })

  test('the report is read off the result', async () => {
    const conversation = workOf(60)
    const { conversation: output, report } = await compressConversation(conversation, {
      budgetTokens: 5_000,
    })
    expect(report.after.messages).toBe(output.messages.length)
    expect(report.before.messages).toBe(conversation.messages.length)
    expect(report.spans.head + report.spans.middle + report.spans.tail).toBe(
      conversation.messages.length,
    )
    expect(report.rungs).toEqual([
      { name: 'middle-out', tokensBefore: report.before.tokens, tokensAfter: report.after.tokens },
    ])
    const text = output.messages.map(readText).join('\n')
    const { path } = report.receipt.kinds
    expect(path.verbatim + path.retrievable + path.missing).toBe(path.total)
    expect(text).toContain('never touch main.ts')
  })

  test('the summary reads back from the conversation', async () => {
    const { conversation } = await compressConversation(workOf(60), { budgetTokens: 5_000 })
    expect(conversation.messages.map(readSummary).find(Boolean)).toContain('module 30')
    expect(conversation.messages.map(readLedgerText).find(Boolean)).toContain('never touch main.ts')
  })
})
