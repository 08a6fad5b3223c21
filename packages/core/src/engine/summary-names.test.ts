import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, person } from '../conversation/histories.suite.ts'
import { type Conversation, readText } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { digest } from '../digest/digest.ts'
import { tailSummary } from '../strategies/tail-summary.ts'
import { chain, type Summarizer, type SummaryRequest } from '../summarizers/summarizer.ts'
import { compressConversation } from './compress-conversation.ts'

const MARK = '[not in the conversation]'
const TEXT =
  '## Where things stand\nThe retry of src/net/retry.ts is done; it is measured in src/nowhere.ts.\n\n## The conversation\nDecided: `waitLonger`, because of config/limits.json.'
const MARKED = TEXT.replace('src/nowhere.ts', `src/nowhere.ts ${MARK}`).replace(
  '`waitLonger`',
  `\`waitLonger\` ${MARK}`,
)

const history = conversationOf([
  person('Fix the retry in src/net/retry.ts, and never touch config/limits.json.'),
  agent('The delay was never awaited. '.repeat(40)),
  ...exchanges(60),
])

const say = (text: string, requests: SummaryRequest[] = []): Summarizer => ({
  name: 'test/model',
  share: 0.6,
  summarize: async (request) => {
    requests.push(request)
    return { text }
  },
})

const compress = (given: Conversation, summarizer: Summarizer, budgetTokens = 1_500) =>
  compressConversation(given, { strategy: tailSummary, budgetTokens, summarizer })

const findSummary = ({ messages }: Conversation) => readText(messages.find(isSummary)!)
const countMarks = (text: string) => text.split(MARK).length - 1

describe('a summary by a model', () => {
  test('has a mark behind each name that is nowhere in the conversation, and the report counts them', async () => {
    const { conversation, report } = await compress(history, say(TEXT))
    expect(findSummary(conversation)).toContain(MARKED.replaceAll('## ', '### '))
    expect(report.names).toEqual({
      checked: 4,
      marked: ['src/nowhere.ts', 'waitLonger'],
      unmarked: [],
    })
  })

  test('has no headings of its layout, and its code as it is', async () => {
    const code = '```sh\n# build\n````js\n``` not yet\n~~~\n# test\n```'
    const { conversation } = await compress(history, say(`# State\n${code}\n## Next\n~~~\n# open`))
    expect(findSummary(conversation)).toContain(`### State\n${code}\n### Next\n~~~\n# open`)
    const fenced = (marks: string) => `\`\`\`md\n${marks} Commands\n- none\n\`\`\``
    const other = await compress(history, say(`# State\n${fenced('##')}`))
    expect(findSummary(other.conversation)).toContain(fenced('###'))
  })

  test('may name what stands beside it, also where the span does not say it', async () => {
    const pinned = {
      strategy: tailSummary,
      budgetTokens: 1_500,
      summarizer: say(TEXT),
      pins: ['use waitLonger'],
    }
    const { report } = await compressConversation(history, pinned)
    expect(report.names?.marked).toEqual(['src/nowhere.ts'])
  })

  test('may name the tools of the agent', async () => {
    const tools = ['{"name":"waitLonger","parameters":{}}']
    const { report } = await compress({ ...history, tools }, say(TEXT))
    expect(report.names?.marked).toEqual(['src/nowhere.ts'])
  })

  test('keeps its marks, and gets no more of them, over several compressions', {
    tags: 'slow',
  }, async () => {
    let { conversation } = await compress(history, say(TEXT))
    for (let round = 1; round < 5; round++) {
      const longer = { ...conversation, messages: [...conversation.messages, ...exchanges(60)] }
      const again = await compress(longer, say(round % 2 === 0 ? TEXT : MARKED))
      conversation = again.conversation
      expect(again.report.names?.marked).toEqual(['src/nowhere.ts', 'waitLonger'])
      const summary = findSummary(conversation)
      expect(summary).toContain(MARKED.replaceAll('## ', '### '))
      expect(summary).not.toContain(`${MARK} ${MARK}`)
      expect(countMarks(summary)).toBeLessThanOrEqual(4)
    }
  })

  test('is carried on with its marks where digest follows it', async () => {
    const { conversation } = await compress(history, say(TEXT))
    const longer = { ...conversation, messages: [...conversation.messages, ...exchanges(60)] }
    const { conversation: next, report } = await compress(longer, digest(), 6_000)
    expect(findSummary(next)).toContain(`src/nowhere.ts ${MARK}`)
    expect(report.names).toBeUndefined()
  })

  test('is within the budget with its marks, and the report names those without room', async () => {
    const greedy: Summarizer = {
      name: 'test/model',
      summarize: async ({ targetTokens, countTokens }) => {
        let text = 'madeUp0'
        for (let at = 1; countTokens(`${text} madeUp${at}`) <= targetTokens - 60; at++)
          text += ` madeUp${at}`
        return { text }
      },
    }
    const { outcome, report } = await compress(history, greedy)
    expect(outcome.type).toBe('compressed')
    expect(report.after.tokens).toBeLessThanOrEqual(1_500)
    const { checked, marked, unmarked } = report.names!
    expect(marked.length + unmarked.length).toBe(checked)
    expect(marked.length).toBeGreaterThan(0)
    expect(unmarked.length).toBeGreaterThan(0)
  })

  test('is made from the words of the user and the ledger, which stand beside it', async () => {
    const requests: SummaryRequest[] = []
    await compress(history, say(TEXT, requests))
    expect(requests[0]?.kept.map(readText).join('\n')).toContain('> [2] Request 0: please look')
  })
})

describe('a summary by extraction', () => {
  test.each([
    ['digest', digest()],
    ['digest in the place of a model that failed', chain(say(''), digest())],
  ])('is not checked: it quotes (%s)', async (_, summarizer) => {
    const { report, outcome } = await compress(history, summarizer)
    expect(outcome.type).toBe('compressed')
    expect(report.names).toBeUndefined()
  })
})
