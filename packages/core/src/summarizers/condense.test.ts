import { describe, expect, test } from 'vitest'
import { modelSummarizer } from './model.ts'
import {
  agent,
  countWords,
  createRequest,
  createScriptedModel,
  person,
  result,
  tagged,
} from './scripted-model.suite.ts'

const MARK = /\bMARK-\d+\b/g
const long = Array.from({ length: 200 }, (_, index) =>
  agent(`MARK-${index} is what this is about ${'and more '.repeat(20)}`),
)

/** A faithful one: it hands on the marks it saw, each once. */
const faithful = (prompt: string) =>
  tagged(
    `The agent said ${[...new Set(prompt.match(MARK))].join(', ')} and nothing else that matters to the person.`,
  )

const dataTokens = (prompt: string) => countWords(prompt.slice(prompt.indexOf('begin of the data')))

describe('a span larger than the window of the model', () => {
  test('is summarized in pieces that fit, then merged; nothing is left out', async () => {
    const model = createScriptedModel(({ prompt }) => faithful(prompt), {
      contextWindowTokens: 4000,
      maxOutputTokens: 1000,
    })
    const { text } = await modelSummarizer(model).summarize(
      createRequest({ span: long, targetTokens: 600 }),
    )
    expect(new Set(text.match(MARK)).size).toBe(200)
    expect(model.requests.length).toBeGreaterThan(3)
    expect(model.requests.length).toBeLessThan(12)
    for (const { prompt, maxOutputTokens } of model.requests) {
      expect(countWords(prompt) + maxOutputTokens).toBeLessThan(4000)
    }
    expect(model.requests.at(-1)!.prompt).toContain('summary of part 1 of')
  })

  test('that is one giant message is split itself', async () => {
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `MARK-${index} stands on a line of its own`,
    )
    const model = createScriptedModel(({ prompt }) => faithful(prompt.slice(0, 3000)), {
      contextWindowTokens: 6000,
    })
    const { text } = await modelSummarizer(model).summarize(
      createRequest({ span: [person(lines.join('\n'))], targetTokens: 500 }),
    )
    expect(text).not.toBe('')
    const seen = new Set(
      model.requests.slice(0, -1).flatMap(({ prompt }) => prompt.match(MARK) ?? []),
    )
    expect(seen.size).toBe(3000)
  })

  test('that the provider finds too long is halved until it does not', async () => {
    const model = createScriptedModel(({ prompt }) =>
      dataTokens(prompt) > 1500
        ? { type: 'failed', reason: 'overflow', message: 'too long' }
        : faithful(prompt),
    )
    const { text } = await modelSummarizer(model).summarize(
      createRequest({ span: long, targetTokens: 600 }),
    )
    expect(new Set(text.match(MARK)).size).toBe(200)
    expect(model.requests.length).toBeLessThan(15)
  })

  test('that the provider finds too long at any size is no summary, after few calls', async () => {
    const model = createScriptedModel(() => ({
      type: 'failed',
      reason: 'overflow',
      message: 'too long',
    }))
    const { text, problems } = await modelSummarizer(model).summarize(
      createRequest({ span: long, targetTokens: 600 }),
    )
    expect(text).toBe('')
    expect(problems?.at(-1)).toBe('too long')
    expect(model.requests.length).toBeLessThan(8)
  })

  test('takes a number of calls that grows with its size and no faster', async () => {
    const count = async (messages: number) => {
      const model = createScriptedModel(
        () => tagged('The agent went on with the work, and it printed some words.'),
        {
          contextWindowTokens: 3000,
        },
      )
      const span = Array.from({ length: messages }, () =>
        result('1', 'some words of output '.repeat(50)),
      )
      await modelSummarizer(model).summarize(createRequest({ span, targetTokens: 300 }))
      return model.requests.length
    }
    const [few, many] = [await count(100), await count(800)]
    expect(many).toBeGreaterThan(few)
    expect(many / few).toBeLessThan(10)
  })

  test('is no summary when one of its pieces is none: the oldest part is never just missing', async () => {
    const model = createScriptedModel(
      ({ prompt }) => (prompt.includes('MARK-0 ') ? 'no tag' : faithful(prompt)),
      {
        contextWindowTokens: 4000,
        maxOutputTokens: 1000,
      },
    )
    const { text } = await modelSummarizer(model).summarize(
      createRequest({ span: long, targetTokens: 600 }),
    )
    expect(text).toBe('')
  })

  test('that does not fit a window at all costs no call', async () => {
    const model = createScriptedModel(() => tagged('x'), { contextWindowTokens: 1000 })
    const { text, problems } = await modelSummarizer(model).summarize(createRequest({ span: long }))
    expect({ text, calls: model.requests.length }).toEqual({ text: '', calls: 0 })
    expect(problems?.[0]).toMatch(/window of 1000 tokens/)
  })
})
