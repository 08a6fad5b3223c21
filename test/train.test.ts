import { describe, expect, test } from 'vitest'
import { weights } from '../packages/core/src/summarizers/digest/weights.data.ts'
import { findNeeds } from '../scripts/train/needs.ts'
import { readSteps, type Step } from '../scripts/train/record.ts'
import { scoreText } from '../scripts/train/score.ts'
import { search } from '../scripts/train/search.ts'
import { start } from '../scripts/train/start.ts'

const call = (name: string, input: object) => ({ name, input })

/** Steps of an agent that reads a file, and later edits it and eleven others that were named. */
function record(): { before: Step[]; after: Step[] } {
  const names = Array.from({ length: 12 }, (_, index) => `moduleField${index}`)
  const content = names.map((name) => `  const ${name} = readField(input, ${name.length})`).join('\n')
  const steps = (calls: readonly { name: string; input: object }[], output: string) =>
    readSteps({
      protocol: 'anthropic-messages',
      tools: [],
      messages: calls.flatMap(({ name, input }, index) => [
        { role: 'assistant', origin: 'agent', parts: [{ type: 'tool-call', callId: `c${index}`, name, input }] },
        {
          role: 'tool',
          origin: 'environment',
          parts: [
            { type: 'tool-result', callId: `c${index}`, output: [{ type: 'text', text: output }], isError: false },
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
    before: steps([call('Bash', { command: 'npm run check' }), call('Read', { file_path: '/app/a.ts' })], content),
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

describe('search', () => {
  test('moves no weight for the gain of a single session', () => {
    const near = search(start, ({ hotLine }) => Array.from({ length: 9 }, () => -Math.abs(hotLine - 8)))
    expect(near.hotLine).toBeGreaterThan(start.hotLine)
    const lone = search(start, ({ hotLine }) =>
      Array.from({ length: 9 }, (_, session) => (session === 0 ? hotLine : -hotLine / 10)),
    )
    expect(lone).toEqual(start)
  })

  test('what was learned has the names of what it starts from', () => {
    expect(Object.keys(weights)).toEqual(Object.keys(start))
  })
})
