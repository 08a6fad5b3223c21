import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { atOnce } from '../conversation/steps.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { type FactSet, type FactSurvey, surveyFacts } from './survey.ts'

const output = (text: string, callId = 'a'): Message => ({
  role: 'tool',
  origin: 'environment',
  parts: [{ type: 'tool-result', callId, output: [{ type: 'text', text }], isError: false }],
})

const survey = (messages: readonly Message[]) => atOnce(surveyFacts(messages, {}))

const textsOf = ({ facts }: FactSurvey, { weights }: FactSet) =>
  facts.flatMap(({ text }, index) => (weights[index] !== 0 ? [text] : [])).sort()

describe('surveyFacts', () => {
  const history = [
    output('src/first.ts and src/shared.ts'),
    output('src/middle.ts and src/quoted.ts'),
    output('src/last.ts and src/shared.ts'),
  ]

  test('facts are within a span if they are nowhere else', () => {
    const found = survey(history)
    const within = found.listWithin([{ start: 0, end: 2 }])
    expect(textsOf(found, within)).toEqual(['src/first.ts', 'src/middle.ts', 'src/quoted.ts'])
    expect(within.size).toBe(3)
  })

  test('a result loses what neither a message that stays nor a new one says', () => {
    const found = survey(history)
    const result = [createSummaryMessage('It quotes src/quoted.ts.'), history[2]!]
    const lost = atOnce(found.findLost(result))
    expect(textsOf(found, lost)).toEqual(['src/first.ts', 'src/middle.ts'])
    expect(lost.size).toBe(2)
  })

  test('a message that stays in the middle says what it said', () => {
    const found = survey(history)
    const lost = atOnce(found.findLost([createSummaryMessage('Nothing.'), history[1]!]))
    expect(textsOf(found, lost)).toEqual(['src/first.ts', 'src/last.ts', 'src/shared.ts'])
  })

  test('of very long outputs the beginnings and the ends are read, and short ones whole', () => {
    const filler = 'and so on. '.repeat(60_000)
    const found = survey([
      output(`src/begins.ts ${filler} src/between.ts ${filler} src/ends.ts`),
      output('src/short.ts'),
    ])
    expect(found.facts.map(({ text }) => text).sort()).toEqual([
      'src/begins.ts',
      'src/ends.ts',
      'src/short.ts',
    ])
  })

  test('a line of an answer that was asked for is worth several names', () => {
    const found = survey([
      person('How long does each run take? Measure it.'),
      agent('The median of five runs is 641 ms.'),
      person('Rename the folder.'),
      agent('It is called tools now, as before in src/names.ts.'),
    ])
    const weightOf = (text: string) =>
      found.listWithin([{ start: 0, end: 4 }]).weights[
        found.facts.findIndex((fact) => fact.text === text)
      ]
    expect(weightOf('The median of five runs is 641 ms.')).toBeGreaterThan(
      3 * weightOf('src/names.ts')!,
    )
    expect(weightOf('It is called tools now, as before in src/names.ts.')).toBeUndefined()
    const lost = atOnce(
      found.findLost([createSummaryMessage('- The median of five runs is 641 ms.')]),
    )
    expect(textsOf(found, lost)).not.toContain('The median of five runs is 641 ms.')
  })
})
