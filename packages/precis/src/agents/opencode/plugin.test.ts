import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { testHost, WINDOW_TOKENS } from '../../../../core/src/hosts/host.suite.ts'
import { createFrame } from '../shared/request-text.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import {
  compactOpencode,
  createRow,
  createText,
  type OpencodeRow,
  SESSION,
} from './opencode-host.suite.ts'

const run = { windowTokens: WINDOW_TOKENS }

/** OpenCode stores a call and its result in one part. */
const settle = (rows: readonly OpencodeRow[]): OpencodeRow[] => {
  const ids = rows.map(({ parts }) => parts[0]?.callID)
  return rows.filter((_, index) => ids[index] === undefined || ids[index] !== ids[index + 1])
}

describe('compactions inside the process of OpenCode', () => {
  // Without a summary by precis, OpenCode asks its model as usual.
  const compact = async (rows: readonly OpencodeRow[], isBroken = false) => {
    const { rows: after, prompt } = await compactOpencode(settle(rows), { ...run, isBroken })
    return prompt.startsWith('Summarize.') ? undefined : after
  }
  testHost<OpencodeRow>({
    user: (text) => createText('user', text),
    answer: (text) => createText('assistant', text),
    call: (id) =>
      createRow('assistant', [
        { type: 'tool', callID: id, tool: 'bash', state: { status: 'pending', input: {} } },
      ]),
    result: (id, text) =>
      createRow('assistant', [
        {
          type: 'tool',
          callID: id,
          tool: 'bash',
          state: { status: 'completed', input: { command: 'ls' }, output: text },
        },
      ]),
    compact: (rows) => compact(rows),
    read: (rows) => formats.opencode.parse({ info: { id: SESSION }, messages: settle(rows) }),
    compactWithFault: (rows) => compact(rows, true),
  })
})

const work = [...Array(20).keys()].flatMap((index) => [
  createText('user', `Request ${index}: keep port ${4000 + index}.`),
  createText('assistant', 'The log is long. '.repeat(100)),
])
const summaryOf = (rows: readonly OpencodeRow[]) =>
  String(rows.findLast(({ info }) => info.summary === true)?.parts[0]?.text)

describe('the plugin of OpenCode', () => {
  test('asks the model for one word, and tells what went and how to find it', async () => {
    const { prompt, told } = await compactOpencode(work, run)
    expect(prompt).toBe('There is nothing to summarize. Answer with the word "done".')
    expect(told).toEqual([
      expect.stringMatching(/tokens, the model wrote one word\. .*recall_removed finds it\./),
    ])
  })

  test('finds what was removed, by all compactions, in the session itself', async () => {
    const first = await compactOpencode(work, run)
    const more = work.map(({ parts }, index) =>
      createText(index % 2 === 0 ? 'user' : 'assistant', `Again. ${String(parts[0]?.text)}`),
    )
    const { hooks, rows } = await compactOpencode([...first.rows, ...more], run)
    const search = (query: string) =>
      hooks.tool.recall_removed?.execute({ query }, { sessionID: SESSION })
    expect(await search('4003')).toContain('Again. Request 3: keep port 4003.')
    expect(await search('4003')).toMatch(/(?<!Again\. )Request 3: keep port 4003\./)
    expect(summaryOf(rows)).toContain('call recall_removed with')
  })

  test.each([true, false])(
    'finds an output that OpenCode pruned (before a compaction: %s)',
    async (isBefore) => {
      const time = { start: 1, end: 2, compacted: 3 }
      const state = { status: 'completed', input: {}, output: 'It has a walrus.', time }
      const read = createRow('assistant', [{ type: 'tool', callID: 'c1', tool: 'read', state }])
      const rows = isBefore ? [...work.slice(0, 2), read, ...work.slice(2)] : [...work, read]
      const { hooks } = await compactOpencode(rows, run)
      const found = await hooks.tool.recall_removed?.execute(
        { query: 'walrus' },
        { sessionID: SESSION },
      )
      expect(found).toContain('It has a walrus.')
    },
  )

  test('verifies a summary of the model: it stays, and the words that it lost are next to it', async () => {
    const options = { mode: 'verify' } as const
    const answer = 'The ports are fixed.'
    const first = await compactOpencode(work, { ...run, options, answer })
    expect(first.prompt).toMatch(/^Summarize\.\nQuote the requests.*\nRequest 0/s)
    expect(summaryOf(first.rows)).toContain(answer)
    expect(summaryOf(first.rows)).toContain('Request 3: keep port 4003.')
    expect(readWrittenSummary(summaryOf(first.rows)).by).toBe('verified')
    expect(first.told).toEqual([
      expect.stringContaining('The model of OpenCode wrote the summary.'),
    ])
    const again = [...first.rows, ...work.slice(0, 4)]
    const second = await compactOpencode(again, { ...run, options, answer: 'All is done.' })
    expect(summaryOf(second.rows)).toContain('Request 7: keep port 4007.')
    expect(summaryOf(second.rows).match(/## Summary by/g)).toHaveLength(1)
    expect(summaryOf(second.rows).match(/<conversation-summary/g)).toHaveLength(1)
  })

  test('a summary of the gateway is left as it is', async () => {
    const { wrapSummary } = createFrame('summary')
    const ours = wrapSummary(summaryOf((await compactOpencode(work, run)).rows))
    const options = { mode: 'verify' } as const
    const { rows, told } = await compactOpencode(work, { ...run, options, answer: ours })
    expect(summaryOf(rows)).toBe(ours)
    expect(told).toEqual([])
  })

  test('the command archives the session before the summary is stored', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'precis-plugin-')), 'input')
    const write = `process.stdin.pipe(require('fs').createWriteStream(process.argv[1]))`
    const command = { program: process.execPath, words: ['-e', write, file] }
    await compactOpencode(work, { ...run, command })
    expect(readFileSync(file, 'utf8')).toBe('{"session_id":"ses_1"}')
    rmSync(dirname(file), { recursive: true })
  })

  test('a model that answers without a text loses no summary', async () => {
    const { rows } = await compactOpencode(work, { ...run, answer: undefined })
    expect(rows.at(-1)?.parts[0]?.text).toContain('Request 3: keep port 4003.')
  })

  test('an answer that could not be replaced is followed by the summary', async () => {
    const { rows, told } = await compactOpencode(work, { ...run, isBroken: 'later' })
    expect(rows.at(-1)?.parts[0]?.text).toContain('Request 3: keep port 4003.')
    expect(told).toEqual([
      expect.stringContaining('the summary is not in the session yet'),
      expect.stringContaining('the model wrote one word'),
    ])
  })

  test('an answer after a request for a summary that failed stays as it is', async () => {
    const { hooks } = await compactOpencode(work, { ...run, answer: undefined })
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, { context: [] })
    const messages = structuredClone(work)
    await hooks['experimental.chat.messages.transform']({}, { messages })
    const output = { text: 'An answer.' }
    const answer = { sessionID: SESSION, messageID: String(work[1]?.info.id) }
    await hooks['experimental.text.complete'](answer, output)
    expect(output.text).toBe('An answer.')
  })

  test('a turn after a compaction that had no request is sent as it is', async () => {
    const { hooks, rows } = await compactOpencode(work, run)
    await hooks['experimental.session.compacting']({ sessionID: SESSION }, { context: [] })
    const asked = createText('user', 'Now fix the cart.')
    const stored = rows as OpencodeRow[]
    stored.push(asked)
    const messages = [...work, asked]
    await hooks['experimental.chat.messages.transform']({}, { messages })
    expect(messages).toEqual([...work, asked])
  })

  test.each([
    ['a fault', { isBroken: true }, 'could not be read'],
    [
      'a mode that there is not',
      { options: { mode: 'verfy' } as never },
      'the mode of the plugin is',
    ],
  ])('%s is told, and OpenCode summarizes', async (_, fault, reason) => {
    const { prompt, told, rows } = await compactOpencode(work, { ...run, ...fault })
    expect(prompt).toContain('Request 3: keep port 4003.')
    expect(summaryOf(rows)).toBe('done')
    expect(told).toEqual([expect.stringContaining('so OpenCode summarizes')])
    expect(told[0]).toContain(reason)
  })

  test('requests of the agent pass unchanged, and its tool requires no parameter', async () => {
    const { hooks } = await compactOpencode(work, run)
    const messages = structuredClone(work)
    await hooks['experimental.chat.messages.transform']({}, { messages })
    expect(messages).toEqual(work)
    const output: { jsonSchema?: { required?: unknown } } = { jsonSchema: { required: ['span'] } }
    await hooks['tool.definition']({ toolID: 'bash' }, output)
    expect(output.jsonSchema?.required).toEqual(['span'])
    await hooks['tool.definition']({ toolID: 'recall_removed' }, output)
    expect(output.jsonSchema).toMatchObject({ type: 'object', properties: { query: {} } })
    expect(output.jsonSchema?.required).toBeUndefined()
  })
})
