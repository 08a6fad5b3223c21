import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { agent, conversationOf, injected, person } from '../conversation/histories.suite.ts'
import { type AssistantMessage, type Message, readText } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { sectionOf, step } from '../digest/spans.suite.ts'
import { findModel } from '../models/find-model.ts'
import { strategies } from '../strategies/index.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const counter = createTokenCounter(findModel('gpt-5'))

// Each text has its place in the history in it: `wordA12` was said by the user before `findingA13`
// was said by the agent.
type Step = (place: number) => Message[]

const finding = (place: number) =>
  `The cause is findingA${place}: the parser reads part ${place} twice because of it.`

const withReasoning = (text: string): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts: [
    { type: 'reasoning', text: 'I wonder what this could be. '.repeat(20), signatureLength: 0 },
    { type: 'text', text },
  ],
})

const answered = (question: string, text: string) =>
  step(
    'AskUserQuestion',
    { questions: [{ question, options: [] }] },
    `"${question}"="${text}". You can now continue.`,
  )

const refused = (text: string) =>
  step(
    'Bash',
    { command: 'npm install' },
    `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n${text}`,
    { isError: true },
  )

const request: Step = (place) => [person(`Please look at wordA${place}.`)]
const report: Step = (place) => [agent(finding(place))]
const thought: Step = (place) => [withReasoning(finding(place))]
const steps: readonly Step[] = [
  request,
  request,
  report,
  report,
  thought,
  (place) => [
    person(`Please look at wordA${place}. ${'It is long, and little of it matters. '.repeat(120)}`),
  ],
  (place) => [...request(place), injected('[Request interrupted by user]')],
  (place) => [...request(place), ...request(place + 1)],
  (place) =>
    step('Bash', { command: `cat part${place}.log` }, `line of part ${place}\n`.repeat(60)),
  (place) => step('Bash', { command: `npm run check-${place}` }, 'ok', { words: finding(place) }),
  (place) => [
    ...answered(`Which one of ${place}?`, `The first, wordA${place}.`),
    ...thought(place + 1),
  ],
  (place) => [...refused(`Use wordA${place} instead.`), ...report(place + 1)],
]

const histories = fc
  .array(fc.constantFrom(...steps), { minLength: 30, maxLength: 70 })
  .map((chosen) => chosen.flatMap((make, index) => make(index * 10)))

const placesOf = (text: string) =>
  [...text.matchAll(/(word|finding)A(\d+)/g)].map(([, kind, place]) => ({
    kind,
    place: Number(place),
  }))

describe('what was said and what was found', () => {
  const strategy = fc.constantFrom('auto', 'tail-summary', 'middle-out')

  test('stand in the order of the requests', { tags: 'property' }, async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        histories,
        strategy,
        fc.integer({ min: 15, max: 60 }),
        async (history, chosen, percent) => {
          const messages = [
            injected('<environment_context>linux</environment_context>'),
            ...history,
          ]
          const given = conversationOf(messages)
          const { conversation } = await compressConversation(given, {
            budgetTokens: Math.ceil((counter.countConversation(given).upper * percent) / 100),
            strategy: chosen === 'auto' ? auto : strategies[chosen]!,
          })
          const summary = conversation.messages.find(isSummary)
          const shown = placesOf(
            sectionOf(summary ? readText(summary) : '', /The conversation/).join('\n'),
          )
          const requests = placesOf(
            history
              .filter(({ role }) => role === 'user')
              .map(readText)
              .join('\n'),
          )
          const turnOf = (place: number) => requests.findLastIndex((said) => said.place <= place)
          shown.forEach(({ kind, place }, index) => {
            if (kind !== 'finding') return
            for (const { kind: other, place: said } of shown.slice(index + 1)) {
              if (other === 'word')
                expect(said, `word ${said} below finding ${place}`).toBeGreaterThan(place)
            }
            for (const { kind: other, place: said } of shown.slice(0, index)) {
              if (other === 'word')
                expect(turnOf(said), `word ${said} above finding ${place}`).toBeLessThanOrEqual(
                  turnOf(place),
                )
            }
            compared++
          })
        },
      ),
      { numRuns: runs(100) },
    )
    expect(compared).toBeGreaterThan(runs(100))
  })
})
