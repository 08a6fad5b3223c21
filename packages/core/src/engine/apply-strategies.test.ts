import { describe, expect, test } from 'vitest'
import { agent, conversationOf, person, result } from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { readText } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createBands } from '../strategies/bands.ts'
import { middleOut } from '../strategies/middle-out.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { Summarizer, Summary, SummaryRequest } from '../summarizers/summarizer.ts'
import { applyStrategies } from './apply-strategies.ts'

const words = 'The parser reads the whole file before it looks at the first line of it. '.repeat(10)

const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, turn) => [
    person(`Request ${turn}`),
    agent(`Plan ${turn}: ${words}`, `call_${turn}`),
    result(`call_${turn}`, words),
    agent(`Answer ${turn}: ${words}`),
  ]).flat()

const all = createBands({ bands: [{ start: 0, end: 100, level: 'compress' }] })
const answering = (
  answer: (request: SummaryRequest, call: number) => Promise<Summary> | Summary,
): Summarizer => {
  let calls = 0
  return { name: 'test', summarize: async (request) => await answer(request, calls++) }
}
const firstWords = ({ span }: SummaryRequest) => ({ text: span.map(readText).join('').slice(0, 9) })

/** A step without a model: every result is said in one word. */
const shortResults: Strategy = {
  name: 'short-results',
  summarizes: false,
  plan: ({ conversation }) => ({
    edits: conversation.messages.flatMap((message, start) =>
      message.role === 'tool'
        ? [
            {
              type: 'replace' as const,
              start,
              end: start + 1,
              messages: [result(`call_${(start - 2) / 4}`, 'short')],
            },
          ]
        : [],
    ),
  }),
}

const textsOf = ({ messages }: Conversation) => messages.map(readText)

describe('applyStrategies', () => {
  test('when every call fails nothing is saved, and the report says why', async () => {
    const given = conversationOf(turns(4))
    const failing = answering(() => {
      throw new Error('401 wrong key')
    })
    const { conversation, report } = await applyStrategies(given, [all], { summarizer: failing })
    expect(conversation).toBe(given)
    expect(report.after).toEqual(report.before)
    expect(report.rewrites).toEqual({ asked: 8, done: 0, failed: 8, unchanged: 0 })
    expect(report.problems).toEqual(['401 wrong key'])
    expect(report.summarizer).toBeUndefined()
  })

  test('an answer that is empty without a reason, or no shorter, leaves its message and is no failure', async () => {
    const given = conversationOf(turns(4))
    const useless = answering(({ span }, call) => ({
      text: call % 2 === 0 ? ' ' : `${span.map(readText).join('')} more`,
    }))
    const { conversation, report } = await applyStrategies(given, [all], { summarizer: useless })
    expect(conversation).toBe(given)
    expect(report.rewrites).toEqual({ asked: 8, done: 0, failed: 0, unchanged: 8 })
  })

  test('failed calls leave their messages and the others go through, in the order of the history', async () => {
    const given = conversationOf(turns(3))
    const mixed = answering(async (request, call) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - call * 3))
      return call % 3 === 2 ? { text: '', problems: ['timeout'] } : firstWords(request)
    })
    const { conversation, report } = await applyStrategies(given, [all], { summarizer: mixed })
    expect(textsOf(conversation).filter((text) => text.length > 0)).toEqual([
      'Request 0',
      'Plan 0: T',
      'Answer 0:',
      'Request 1',
      `Plan 1: ${words}`,
      'Answer 1:',
      'Request 2',
      'Plan 2: T',
      `Answer 2: ${words}`,
    ])
    expect(report.rewrites).toEqual({ asked: 6, done: 4, failed: 2, unchanged: 0 })
    expect(report.after.tokens).toBeLessThan(report.before.tokens)
    expect(checkInvariants(conversation)).toEqual([])
  })

  test('one slow call holds up none of the others', async () => {
    let finished = 0
    const slowFirst = answering(async (request, call) => {
      await new Promise((resolve) => setTimeout(resolve, call === 0 ? 60 : 5))
      if (call === 0) expect(finished).toBe(7)
      finished++
      return firstWords(request)
    })
    await applyStrategies(conversationOf(turns(4)), [all], { summarizer: slowFirst })
    expect(finished).toBe(8)
  })

  test('the statistics are exact: every step takes up where the one before it ended', async () => {
    const given = conversationOf(turns(4))
    const { conversation, report } = await applyStrategies(given, [shortResults, all], {
      summarizer: answering(firstWords),
    })
    const [cleared, rewritten] = report.steps
    expect(cleared).toMatchObject({
      name: 'short-results',
      messages: 4,
      results: { removed: 0, shortened: 4 },
    })
    expect(rewritten).toMatchObject({
      name: 'bands',
      messages: 8,
      calls: { removed: 0, shortened: 0 },
    })
    expect(cleared?.tokensBefore).toBe(report.before.tokens)
    expect(rewritten?.tokensBefore).toBe(cleared?.tokensAfter)
    expect(report.after.tokens).toBe(rewritten?.tokensAfter)
    expect(report.after.messages).toBe(conversation.messages.length)
    expect(report.rewrites).toEqual({ asked: 8, done: 8, failed: 0, unchanged: 0 })
  })

  test('a dry run asks nobody, and tells what would be asked', async () => {
    const never = answering(() => {
      throw new Error('asked')
    })
    const given = conversationOf(turns(4))
    const { report } = await applyStrategies(given, [shortResults, all], {
      summarizer: never,
      dryRun: true,
    })
    const real = await applyStrategies(given, [shortResults, all], {
      summarizer: answering(firstWords),
    })
    expect(report.problems).toEqual([])
    expect(report.rewrites).toEqual({ asked: 8, done: 0, failed: 0, unchanged: 0 })
    expect(report.steps[0]).toEqual(real.report.steps[0])
    expect(report.steps[1]?.plannedSaving).toBeGreaterThan(report.before.tokens * 0.2)
    expect(real.report.steps[1]?.plannedSaving).toBe(0)
  })

  test('a summary of many messages has no space, and no saving is planned for it', async () => {
    const given = conversationOf(turns(4))
    for (const dryRun of [true, false]) {
      const { conversation, report } = await applyStrategies(given, [middleOut], { dryRun })
      expect(conversation).toBe(given)
      expect(report.steps).toMatchObject([{ noop: 'nothing-eligible', plannedSaving: 0 }])
    }
  })

  test('how to recall makes no result larger than what was given', async () => {
    const given = conversationOf([createSummaryMessage(words), ...turns(1)])
    const shorter: Strategy = {
      name: 'shorter',
      summarizes: false,
      plan: () => ({ edits: [{ type: 'replace', start: 4, end: 5, messages: [agent(words)] }] }),
    }
    expect((await applyStrategies(given, [shorter])).conversation).not.toBe(given)
    const { conversation } = await applyStrategies(given, [shorter], { recall: { tool: 'recall' } })
    expect(conversation).toBe(given)
  })

  test('no step leaves the conversation as it is, and so does a step that finds nothing', async () => {
    const given = conversationOf([person('hi'), agent('hello')])
    expect((await applyStrategies(given, [])).conversation).toBe(given)
    const { conversation, report } = await applyStrategies(given, [all])
    expect(conversation).toBe(given)
    expect(report.steps).toMatchObject([{ name: 'bands', noop: 'nothing-eligible' }])
  })

  test('a broken history is repaired when it changes, and left as it is when it does not', async () => {
    const orphan = result('call_of_nobody')
    const broken = conversationOf([...turns(2), orphan])
    expect((await applyStrategies(broken, [])).conversation).toBe(broken)
    const { conversation } = await applyStrategies(broken, [all], {
      summarizer: answering(firstWords),
    })
    expect(checkInvariants(broken)).toHaveLength(1)
    expect(checkInvariants(conversation)).toEqual([])
  })

  test('a step that would make the history larger is passed over', async () => {
    const given = conversationOf(turns(2))
    const longer: Strategy = {
      name: 'longer',
      summarizes: false,
      plan: () => ({ edits: [{ type: 'replace', start: 0, end: 1, messages: [person(words)] }] }),
    }
    const { conversation, report } = await applyStrategies(given, [longer])
    expect(conversation).toBe(given)
    expect(report.steps).toMatchObject([{ noop: 'nothing-eligible', messages: 0 }])
  })

  test('progress tells every finished rewrite', async () => {
    const told: string[] = []
    await applyStrategies(conversationOf(turns(2)), [all], {
      summarizer: answering(firstWords),
      onProgress: (step, done, total) =>
        told.push(done === undefined ? step : `${step} ${done}/${total}`),
    })
    expect(told).toEqual([
      'measure',
      'plan',
      'summarize',
      ...[1, 2, 3, 4].map((done) => `summarize ${done}/4`),
      'check',
    ])
  })

  test('an abort rejects, and is no failed call', async () => {
    const aborting = new AbortController()
    const stopping = answering(() => {
      aborting.abort(new Error('stop'))
      throw new Error('broken socket')
    })
    const options = { summarizer: stopping, signal: aborting.signal }
    await expect(applyStrategies(conversationOf(turns(2)), [all], options)).rejects.toThrow('stop')
  })
})
