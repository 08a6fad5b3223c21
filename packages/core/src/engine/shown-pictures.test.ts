import { describe, expect, test } from 'vitest'
import { createContext } from '../context/create-context.ts'
import type { RequestFormat } from '../formats/request-formats.ts'
import { strategies } from '../strategies/index.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { compress } from './index.ts'

const HEAD = 'iVBORw0KGgoAAAANSUhEUgAABdwAAAXcCAYAAAA'
const DATA = `${HEAD}${'kJgg'.repeat(200)}`
const URL = `data:image/png;base64,${DATA}`
const FILLER = 'The parser reads one token after the other and keeps its place in the table. '

interface Shape {
  readonly model: string
  readonly show: object
  readonly say: (text: string) => object
  readonly answer: (text: string) => object
  readonly ask: (...content: readonly object[]) => object
}

const text = (words: string) => ({ type: 'text', text: words })
const inChat = { say: text, answer: (content: string) => ({ role: 'assistant', content }) }
const ask = (...content: readonly object[]) => ({ role: 'user', content })

const SHAPES: Readonly<Record<Exclude<RequestFormat, 'langchain'>, Shape>> = {
  'anthropic-messages': {
    model: 'claude-opus-4-5',
    show: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } },
    ask,
    ...inChat,
  },
  'openai-chat': {
    model: 'gpt-5',
    show: { type: 'image_url', image_url: { url: URL } },
    ask,
    ...inChat,
  },
  'openai-responses': {
    model: 'gpt-5',
    show: { type: 'input_image', image_url: URL },
    ask,
    say: (words) => ({ type: 'input_text', text: words }),
    answer: (words) => ({ role: 'assistant', content: [{ type: 'output_text', text: words }] }),
  },
  'gemini-contents': {
    model: 'gemini-2.5-pro',
    show: { inlineData: { mimeType: 'image/png', data: DATA } },
    say: (words) => ({ text: words }),
    ask: (...parts) => ({ role: 'user', parts }),
    answer: (words) => ({ role: 'model', parts: [{ text: words }] }),
  },
  'ai-sdk': {
    model: 'gpt-5',
    show: { type: 'image', image: DATA, mediaType: 'image/png' },
    ask,
    ...inChat,
  },
}

const QUESTION = 'What is wrong here?'
// How people send one: by itself, with words, and in a message of its own before or after them.
const WAYS: Readonly<Record<string, (shape: Shape) => object[]>> = {
  'by itself': ({ ask, show }) => [ask(show)],
  'with words': ({ ask, show, say }) => [ask(say(QUESTION), show)],
  'before words': ({ ask, show, say }) => [ask(show), ask(say(QUESTION))],
  'behind words': ({ ask, show, say }) => [ask(say(QUESTION)), ask(show)],
}

// The strategies that remove whole messages, whatever is in them.
const REMOVING = new Set(['middle-out', 'tail-summary', 'one-shot', 'top-down-truncation'])

function talk({ ask, say, answer }: Shape): object[] {
  return Array.from({ length: 10 }, (_, turn) => [
    ask(say(`Look at src/area${turn}.ts.`)),
    answer(FILLER.repeat(8)),
  ]).flat()
}

describe.each(Object.entries(SHAPES))(
  'a picture that the user has just sent, in %s',
  (name, shape) => {
    const format = name as RequestFormat
    const { model } = shape
    const shorten = (messages: readonly object[], budgetTokens: number, strategy?: Strategy) =>
      compress(messages, { format, model, budgetTokens, ...(strategy && { strategy }) })
    const count = async (messages: readonly object[]) =>
      (await shorten(messages, 1_000_000)).report.before.tokens

    test.each(Object.entries(WAYS))('%s stays while it fits by itself', async (_, send) => {
      const sent = send(shape)
      const history = [...talk(shape), ...sent]
      const tokens = (await count(history)) - (await count(talk(shape)))
      for (const share of [1.03, 1.3, 2]) {
        const { outcome, messages, report } = await shorten(history, Math.ceil(tokens * share))
        expect(outcome.type).toBe('compressed')
        expect(messages.slice(-sent.length)).toEqual(sent)
        expect(report.problems).toEqual([])
      }
    })

    test.each(Object.entries(WAYS))(
      '%s is named with its tokens if it does not fit',
      async (_, send) => {
        const history = [...talk(shape), ...send(shape)]
        const tokens = (await count(history)) - (await count(talk(shape)))
        const { outcome, messages, report } = await shorten(history, Math.floor(tokens * 0.8))
        expect(outcome.type).toBe('compressed')
        expect(JSON.stringify(messages)).not.toContain(HEAD)
        expect(JSON.stringify(messages)).toContain('[image image/png 1500×1500')
        expect(report.failures).toEqual([])
        expect(report.problems).toEqual([
          expect.stringMatching(
            /^The images or files of your last request had no room: (?:\d{3}|\d,\d{3}) tokens\.$/,
          ),
        ])
      },
    )

    test.each(Object.entries(WAYS))('%s stays once it was answered', async (_, send) => {
      const sent = send(shape)
      const tokens = (await count([...talk(shape), ...sent])) - (await count(talk(shape)))
      const history = [...talk(shape), ...sent, shape.answer(FILLER.repeat(9))]
      const ways = Object.values(strategies).filter(({ name }) => REMOVING.has(name))
      for (const strategy of [undefined, ...ways]) {
        const budgetTokens = Math.ceil(tokens * 1.5)
        const { outcome, messages } = await shorten(history, budgetTokens, strategy)
        expect(outcome.type).toBe('compressed')
        for (const each of sent) expect(messages).toContainEqual(each)
      }
    })

    test('is in the next request of a context, whatever else has to go', async () => {
      const sent = WAYS['with words']!(shape)
      const tokens = (await count([...talk(shape), ...sent])) - (await count(talk(shape)))
      const windowTokens = Math.ceil(tokens * 1.8)
      const context = createContext<object>({ model, format, windowTokens })
      context.append(...talk(shape), ...sent)
      const { fits, messages, compression } = await context.prepare()
      expect(compression?.outcome.type).toBe('compressed')
      expect(fits).toBe(true)
      expect(messages.at(-1)).toEqual(sent.at(-1))
    })
  },
)

const REQUEST = { format: 'anthropic-messages', model: 'claude-opus-4-5' } as const
const anthropic = SHAPES['anthropic-messages']
const small = (place: number) => {
  const png = `iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAA${String(place).padStart(5, '0')}`
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
}

describe('pictures that have no room', () => {
  test('are said in one line with the sum of their tokens', async () => {
    const sent = ask(anthropic.show, { ...anthropic.show }, text(QUESTION))
    const { report } = await compress([...talk(anthropic), sent], { ...REQUEST, budgetTokens: 900 })
    expect(report.problems).toHaveLength(1)
    const [one] = (
      await compress([...talk(anthropic), ask(anthropic.show)], { ...REQUEST, budgetTokens: 900 })
    ).report.problems
    const tokensOf = (line = '') => Number(/[\d,]+(?= tokens)/.exec(line)?.[0].replace(',', ''))
    expect(tokensOf(report.problems[0])).toBe(2 * tokensOf(one))
  })

  test('are not those that a limit of their number removed', async () => {
    const sent = ask(...Array.from({ length: 105 }, (_, place) => small(place)), text(QUESTION))
    const { outcome, report } = await compress([...talk(anthropic), sent], {
      ...REQUEST,
      budgetTokens: 100_000,
    })
    expect(outcome.type).toBe('compressed')
    expect(report.rungs.map(({ name }) => name)).toContain('clear-images')
    expect(report.problems).toEqual([])
  })
})

test('what the user pasted behind a result is no result: it stays while it fits', async () => {
  const lines = Array.from(
    { length: 120 },
    (_, line) => `Line ${line} has ${(line * 7919) % 1000}.`,
  )
  const paste = ask(text(`PASTE\n${lines.join('\n')}`))
  const call = { type: 'tool_use', id: 't', name: 'Read', input: { file_path: '/a' } }
  const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' }
  const history = [
    ...talk(anthropic),
    { role: 'assistant', content: [call] },
    ask(result),
    paste,
    ask(text('Now do it.')),
  ]
  const size = (await compress(history, { ...REQUEST, budgetTokens: 1_000_000 })).report.before
  for (const share of [0.95, 0.9, 0.8]) {
    const budgetTokens = Math.floor(size.tokens * share)
    const { outcome, messages } = await compress(history, { ...REQUEST, budgetTokens })
    expect(outcome.type).toBe('compressed')
    expect(messages).toContainEqual(paste)
  }
})

test('a picture that was answered stays beside the words before it, over many compressions', async () => {
  const [picture, words] = [ask(anthropic.show), ask(text(QUESTION))]
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: '/a' } })
  const answer = (id: string) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: FILLER.repeat(6),
  })
  let history: object[] = [...talk(anthropic), words, picture]
  for (let round = 0; round < 5; round++) {
    for (let step = 0; step < 4; step++) {
      const id = `c${round}-${step}`
      history.push({ role: 'assistant', content: [call(id)] }, ask(answer(id)))
    }
    const { outcome, messages } = await compress(history, { ...REQUEST, budgetTokens: 3_000 })
    expect(outcome.type).toBe('compressed')
    for (const each of [words, picture]) expect(messages).toContainEqual(each)
    history = [...messages]
  }
})
