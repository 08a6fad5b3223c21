import { describe, expect, test } from 'vitest'
import type { Weights } from '../../packages/core/src/digest/weights.data.ts'
import { weights } from '../../packages/core/src/digest/weights.data.ts'
import type { Evaluation, Means } from './evaluation.ts'
import { findNeeds } from './needs.ts'
import { readSteps, type Step } from './record.ts'
import { scoreText } from './score.ts'
import { search } from './search.ts'
import { start } from './start.ts'

const call = (name: string, input: object) => ({ name, input })

/** Steps of an agent that reads a file, and later edits it and eleven others that were named. */
function record(): { before: Step[]; after: Step[] } {
  const names = Array.from({ length: 12 }, (_, index) => `moduleField${index}`)
  const content = names
    .map((name) => `  const ${name} = readField(input, ${name.length})`)
    .join('\n')
  const steps = (calls: readonly { name: string; input: object }[], output: string) =>
    readSteps({
      protocol: 'anthropic-messages',
      tools: [],
      messages: calls.flatMap(({ name, input }, index) => [
        {
          role: 'assistant',
          origin: 'agent',
          parts: [{ type: 'tool-call', callId: `c${index}`, name, input }],
        },
        {
          role: 'tool',
          origin: 'environment',
          parts: [
            {
              type: 'tool-result',
              callId: `c${index}`,
              output: [{ type: 'text', text: output }],
              isError: false,
            },
          ],
        },
      ]),
    })
  const edits = names.map((name) =>
    call('Edit', {
      file_path: '/app/a.ts',
      old_string: `const ${name} = readField(input, ${name.length})`,
      new_string: name,
    }),
  )
  return {
    before: steps(
      [call('Bash', { command: 'npm run check' }), call('Read', { file_path: '/app/a.ts' })],
      content,
    ),
    after: steps(edits, 'ok'),
  }
}

describe('what the agent needed', () => {
  test('is found in what it did afterwards, and in the text that tells it', () => {
    const { before, after } = record()
    const needs = findNeeds(before, after)
    expect(needs?.carried.map(({ entity }) => entity)).toContain('moduleField3')
    expect(needs?.anchors).toContain('const moduleField3 = readField(input, 12)')
    const whole = before.map(({ text }) => text).join('\n')
    expect(needs && scoreText(whole, needs)).toMatchObject({ carried: 1, anchors: 1 })
    expect(needs && scoreText('moduleField3', needs)).toMatchObject({ carried: 0, anchors: 0 })
  })

  test('cannot be told when too little follows', () => {
    const { before, after } = record()
    expect(findNeeds(before, after.slice(0, 4))).toBeUndefined()
  })
})

const SESSIONS = 9
const GROUPS = Array.from({ length: SESSIONS }, (_, session) => (session < 3 ? 'small' : 'large'))

/** What a search sees when the value of a session is told by the weights alone. */
function evaluateBy(
  sessionValue: (weights: Weights, session: number) => number,
  means: (weights: Weights) => Partial<Means>,
) {
  return (tried: Weights): Evaluation => ({
    perSession: Array.from({ length: SESSIONS }, (_, session) => sessionValue(tried, session)),
    means: { ...FULL, ...means(tried) },
  })
}

const FULL: Means = {
  carried: 1,
  rare: 1,
  anchors: 1,
  commands: 1,
  demands: 1,
  errors: 1,
  conclusions: 1,
}
const same = () => FULL

describe('search', () => {
  test('takes the steps that help, and no others', () => {
    const both = evaluateBy(({ closingWords, command }) => closingWords - 0.01 * command ** 2, same)
    const closingWords = Number((start.closingWords * 1.6).toPrecision(2))
    const command = Number((start.command * 0.6).toPrecision(2))
    expect(search(start, GROUPS, both)).toEqual({ ...start, closingWords, command })
  })

  test('moves no weight for the gain of a single session', () => {
    const lone = evaluateBy(({ closingWords }, session) => (session === 0 ? closingWords : 0), same)
    expect(search(start, GROUPS, lone)).toEqual(start)
  })

  test('moves no weight at the cost of a small group', () => {
    const costly = evaluateBy(
      ({ closingWords }, session) => closingWords * (GROUPS[session] === 'small' ? -0.01 : 1),
      same,
    )
    expect(search(start, GROUPS, costly)).toEqual(start)
  })

  test('moves no weight at the cost of one measure', () => {
    const fall = ({ closingWords }: Weights) => ({
      demands: closingWords === start.closingWords ? 1 : 0.98,
    })
    const falling = evaluateBy(({ closingWords }) => closingWords, fall)
    expect(search(start, GROUPS, falling)).toEqual(start)
  })

  test('moves five weights at most', () => {
    const all = evaluateBy(
      (weights) => -Object.values(weights).reduce((sum, value) => sum + value, 0),
      same,
    )
    const found = search(start, GROUPS, all)
    const names = Object.keys(start) as (keyof Weights)[]
    expect(names.filter((name) => found[name] !== start[name])).toHaveLength(5)
  })

  test('what was learned has the names of what it starts from', () => {
    expect(Object.keys(weights)).toEqual(Object.keys(start))
  })
})
