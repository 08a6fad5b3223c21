import { describe, expect, test } from 'vitest'
import { createRequest } from './scripted-model.suite.ts'
import { chain, type Summarizer, type Summary } from './summarizer.ts'

const say = (name: string, summary: Summary): Summarizer => ({
  name,
  summarize: async () => summary,
})
const usage = { calls: 1, inputTokens: 10, outputTokens: 2 }
const failing = {
  ...say('a/model', { text: ' ', problems: ['it said nothing'], usage }),
  share: 0.6,
}

describe('chain', () => {
  test('gives the first text, who made it, why the others did not, and what all of it cost', async () => {
    const summarizer = chain(
      failing,
      say('b/model', { text: 'it', usage }),
      say('digest', { text: 'unused' }),
    )
    expect(summarizer).toMatchObject({ name: 'a/model', share: 0.6 })
    expect(await summarizer.summarize(createRequest())).toEqual({
      text: 'it',
      summarizer: 'b/model',
      problems: ['a/model: it said nothing'],
      usage: { calls: 2, inputTokens: 20, outputTokens: 4 },
    })
  })

  test('goes on after one that breaks', async () => {
    const broken: Summarizer = {
      name: 'broken',
      summarize: () => Promise.reject(new Error('no disk')),
    }
    const summary = await chain(broken, say('digest', { text: 'it' })).summarize(createRequest())
    expect(summary).toEqual({
      text: 'it',
      summarizer: 'digest',
      problems: ['broken: it broke: no disk'],
    })
  })

  test.each([
    [undefined, 'undefined'],
    [{ text: null }, 'an object whose text is null'],
  ])('goes on after one that gives no summary: %j', async (given, found) => {
    const careless = say('careless', given as unknown as Summary)
    const summary = await chain(careless, say('digest', { text: 'it' })).summarize(createRequest())
    expect(summary).toMatchObject({ text: 'it', summarizer: 'digest' })
    expect(summary.problems?.join()).toContain(`it gave ${found}`)
  })

  test('a rewrite that fails is not replaced by an extract', async () => {
    const request = createRequest({ brief: 'rewrite' })
    const summary = await chain(failing, say('digest', { text: 'list of names' })).summarize(
      request,
    )
    expect(summary).toMatchObject({ text: ' ', problems: ['a/model: it said nothing'] })
    expect((await chain(say('digest', { text: 'short' })).summarize(request)).text).toBe('short')
  })

  test('an abort ends it at once', async () => {
    const abort = new AbortController()
    const asked: string[] = []
    const aborting: Summarizer = {
      name: 'first',
      summarize: async () => {
        asked.push('first')
        abort.abort()
        return { text: '' }
      },
    }
    const next: Summarizer = {
      name: 'next',
      summarize: async () => ({ text: asked.push('next').toString() }),
    }
    await expect(
      chain(aborting, next).summarize(createRequest({ signal: abort.signal })),
    ).rejects.toThrow('aborted')
    expect(asked).toEqual(['first'])
  })
})
