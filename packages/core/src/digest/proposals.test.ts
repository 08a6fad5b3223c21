import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { digestOf, step } from './spans.suite.ts'

const DESIGNS = [
  '**Design A: one event per task**',
  '1. New event `timing`, emitted once for every task.',
  '2. Payload: `{id, waitTime, runTime, status}`, in milliseconds.',
  '3. `status` is `fulfilled` or `rejected`.',
  '4. Against: you have to add the figures up yourself.',
  '',
  '**Design B: totals kept by the queue**',
  '1. New option `trackStats`, off by default.',
  '2. New getter `queue.stats`, undefined when it is off.',
  '3. New method `queue.resetStats()`, for a new period.',
  '4. Against: one slow task shows only in `max`.',
].join('\n')

const change = step('Edit', { file_path: 'src/queue.ts', old_string: 'a', new_string: 'b' }, 'ok')
const scratch = step('Write', { file_path: '/tmp/try.mts', content: 'let limit = 1' }, 'ok')

const spanOf = (reply: string, work: readonly Message[]): Message[] => [
  person('Suggest two different designs, with names. No code yet.'),
  agent(DESIGNS),
  person(reply),
  ...work,
  agent('| Suggested | Now |\n|---|---|\n| `queue.stats` | `waitStats` |'),
  person('Explain the interval logic.'),
  agent('The interval is reset in `queue.ts:255`.'),
  person('Go on.'),
]

/** How many items of each design stand, at each target. */
async function countItems(span: readonly Message[]): Promise<[number, number][]> {
  const counts: [number, number][] = []
  for (let targetTokens = 100; targetTokens < 400; targetTokens += 20) {
    const text = await digestOf(span, { targetTokens })
    const [first = '', second = ''] = text.split('**Design B')
    const count = (part: string) => (part.match(/^ {2}- \d\. /gm) ?? []).length
    counts.push([count(first), count(second)])
  }
  return counts
}

describe('digest, proposals', () => {
  test('when the chosen one was carried out, the one that was turned down has more room', async () => {
    for (const reply of ['I like the second one better. Implement it.', 'Design B, please.']) {
      const counts = await countItems(spanOf(reply, change))
      expect(counts.filter(([declined, taken]) => taken > declined)).toEqual([])
      expect(counts.some(([declined, taken]) => declined === 4 && taken < 2)).toBe(true)
      expect(counts.at(-1)).toEqual([4, 4])
    }
  })

  test.each([
    ['nothing was changed', spanOf('I like the second one better.', [])],
    ['a scratch file was made', spanOf('I like the second one better.', scratch)],
    [
      'files were changed for something else',
      spanOf('I like the second one better, later.', []).flatMap((one) =>
        one.role === 'assistant' && JSON.stringify(one).includes('interval')
          ? [...change, one]
          : [one],
      ),
    ],
  ])('before that, the chosen one is told as well as the other: %s', async (_, span) => {
    const counts = await countItems(span)
    expect(counts.filter(([declined, taken]) => declined > taken + 1)).toEqual([])
    expect(counts.at(-1)).toEqual([4, 4])
  })

  const ADVICE = [
    'The closure costs 8 ms.',
    '',
    'I would drop the closure and keep `startedAt` in a local variable of `run`.',
    '',
    'The profile shows that the collector works for most of the time of a run.',
  ].join('\n')
  const advice: Message[] = [
    person("Where is it slow? What would you do? Don't fix it yet."),
    agent(ADVICE),
    person('Do it as you suggested, but not now.'),
    agent('The second topic is the interval, which is reset at its end in `queue.ts:255`.'),
    person('Go on.'),
  ]

  test('what the agent would do outlasts what it only saw of the same turn', async () => {
    const stands = async (span: readonly Message[], targetTokens: number) => {
      const text = await digestOf(span, { targetTokens })
      return [text.includes('local variable'), text.includes('the collector')]
    }
    const targets = Array.from({ length: 30 }, (_, index) => 60 + 5 * index)
    const open = await Promise.all(targets.map((target) => stands(advice, target)))
    expect(open.filter(([advice, sight]) => sight && !advice)).toEqual([])
    expect(open.some(([advice, sight]) => advice && !sight)).toBe(true)
  })
})
