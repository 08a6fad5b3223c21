import { describe, expect, test } from 'vitest'
import { assistant, exchange, user } from './context.suite.ts'
import { createContext } from './create-context.ts'
import { createRecall } from './recall.ts'

/** A conversation whose beginning was compressed away. */
async function compressed() {
  const recall = createRecall()
  const context = createContext<object>({ model: 'gpt-5', archive: recall, recall: recall.path })
  const flood = Array.from({ length: 30 }, exchange).flat()
  context.append(...flood.slice(0, 20))
  context.append(
    user('What is in the log?'),
    assistant(`It says ECONNREFUSED 10.0.0.7:5432. ${'And so on. '.repeat(1_000)}`),
  )
  context.append(...flood.slice(20))
  await context.compress({ budgetTokens: 1_500 })
  return { recall, context }
}

describe('recall in the library', () => {
  test('finds what a compression removed by its words, the rarest first', async () => {
    const { recall } = await compressed()
    const [first] = recall.search('the parser said ECONNREFUSED')
    expect(first).toMatchObject({
      role: 'assistant',
      excerpt: expect.stringContaining('ECONNREFUSED 10.0.0.7:5432'),
    })
    expect(recall.read(first!.span)).toContain('And so on.')
    expect(recall.search('zebra')).toEqual([])
    expect(recall.search('parser', 3)).toHaveLength(3)
  })

  test('shows the place of the query in a long record whose lines have the same words', async () => {
    const recall = createRecall()
    const lines = (file: number) =>
      Array.from({ length: 400 }, (_, line) => `item-${file}-${line} of file ${file}`).join('\n')
    const context = createContext<object>({ model: 'gpt-5', archive: recall, recall: recall.path })
    context.append(...[1, 2, 3].flatMap((file) => [user('Read on.'), assistant(lines(file))]))
    context.append(user('And now?'), assistant('Done.'))
    await context.compress({ budgetTokens: 1_000 })
    expect(recall.search('item-2-317')[0]?.excerpt).toContain('item-2-317 of file 2')
    // No text has these words side by side.
    expect(recall.search('file item 1 317')[0]?.excerpt).toContain('item-1-317 of file 1')
  })

  test('is told to the model in the summary, under the name of the tool', async () => {
    const { context } = await compressed()
    expect(JSON.stringify(context.messages)).toContain('call recall with')
  })

  test('answers the model in words: hits, then a record, in pieces where it is long', async () => {
    const { recall } = await compressed()
    const { span } = recall.search('ECONNREFUSED')[0]!
    expect(recall.tool.execute({ query: 'ECONNREFUSED' })).toMatch(
      new RegExp(`^\\[span ${span}, assistant, \\d+ characters\\]`),
    )
    const first = recall.tool.execute({ span })
    expect(first).toMatch(/\[\d+ more characters: \{"span": \d+, "offset": 8000\}\]$/)
    expect(recall.tool.execute({ span, offset: 8000 })).toMatch(/And so on/)
  })

  test.each([
    undefined,
    null,
    'query',
    {},
    { query: '' },
    { query: 7 },
    { span: 9999 },
    { span: -1 },
    { span: 0.5 },
  ])('says how it is asked where it is asked for nothing there is: %j', async (input) => {
    const { recall } = await compressed()
    expect(recall.tool.execute(input)).toMatch(/^Give "query"|^There is no record/)
  })

  test('has nothing twice: a summary that goes is in it word for word already', async () => {
    const { recall, context } = await compressed()
    context.append(...Array.from({ length: 20 }, exchange).flat())
    await context.compress({ budgetTokens: 1_500 })
    expect(recall.search('ECONNREFUSED')).toHaveLength(1)
  })
})
