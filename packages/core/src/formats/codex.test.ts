import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apply } from '../conversation/apply.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import { type Conversation, type Message, readText, type ToolMessage, withParts } from '../conversation/message.ts'
import { createSummaryMessage, isSummary } from '../conversation/summary-message.ts'
import { codex } from './codex.ts'
import type { ByteSource, FormatOutput } from './format.ts'

interface Line {
  readonly type: string
  readonly payload: Record<string, unknown>
  readonly [key: string]: unknown
}

const line = (type: string, payload: object): string =>
  JSON.stringify({ timestamp: '2026-04-10T11:49:15.852Z', type, payload })
const meta = (extra: object = {}) =>
  line('session_meta', {
    id: 'old-id',
    timestamp: 't',
    cwd: '/repo',
    base_instructions: { text: 'You are Codex.' },
    ...extra,
  })
const event = (type: string, extra: object = {}) => line('event_msg', { type, ...extra })
const item = (payload: object) => line('response_item', payload)
const userItem = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const said = (text: string) => [item(userItem(text)), event('user_message', { message: text, images: [] })]
const answered = (text: string) => [
  event('agent_message', { message: text }),
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], phase: 'commentary' }),
]
const thought = item({ content: null, summary: [], type: 'reasoning', encrypted_content: 'gAAAA' })
const called = (id: string) =>
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: id })
const ran = (id: string, output: string) => [
  event('exec_command_end', {
    call_id: id,
    stdout: output,
    stderr: '',
    aggregated_output: output,
    formatted_output: output,
    exit_code: 0,
  }),
  item({ type: 'function_call_output', call_id: id, output }),
]
const turnContext = (turn: number) =>
  line('turn_context', { turn_id: `t${turn}`, cwd: '/repo/sub', model: `gpt-${turn}` })
const tokenCount = event('token_count', { info: { total_token_usage: { total_tokens: 250_000 } } })
const developer = item({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: '<permissions instructions>x</permissions instructions>' }],
})
const environment = item(userItem('<environment_context>\n<cwd>/repo</cwd>\n</environment_context>'))
const started = (turn: number) => event('task_started', { turn_id: `t${turn}` })
const completed = (turn: number) => event('task_complete', { turn_id: `t${turn}` })

const LINES = [
  meta(),
  started(1),
  developer,
  environment,
  turnContext(1),
  ...said('first'),
  tokenCount,
  thought,
  ...answered('looking'),
  called('a'),
  called('b'),
  ...ran('b', 'B'.repeat(50)),
  ...said('steering'),
  ...ran('a', 'A'.repeat(50)),
  line('from_the_future', { keep: 1 }),
  item({ type: 'ghost_snapshot', ghost_commit: { id: 'c' } }),
  ...answered('done'),
  completed(1),
  started(2),
  turnContext(2),
  ...said('second'),
  thought,
  item({ type: 'custom_tool_call', status: 'completed', call_id: 'p', name: 'apply_patch', input: '*** Begin Patch' }),
  event('patch_apply_end', { call_id: 'p', stdout: 'Success', changes: { '/repo/x': {} } }),
  item({ type: 'custom_tool_call_output', call_id: 'p', output: '{"output":"no","metadata":{"exit_code":1}}' }),
  item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } }),
  ...answered('patched'),
  tokenCount,
  completed(2),
]
const document = (lines: readonly string[], lineBreak = '\n') => lines.map((text) => text + lineBreak).join('')
const SESSION = document(LINES)

const newSession = {
  sessionId: 'new-id',
  timestamp: '2026-05-01T00:00:00.000Z',
  title: 'Compressed',
  createId: () => 'fresh',
}
const readLines = (output: FormatOutput): Line[] => {
  const lines = String(output)
    .split(/\r?\n/)
    .filter((text) => text !== '')
  return lines.map((text): Line => JSON.parse(text))
}
const payloads = (output: FormatOutput) =>
  readLines(output).flatMap(({ type, payload }) => (type === 'response_item' ? [payload] : []))
const kinds = (output: FormatOutput) =>
  readLines(output).map(({ type, payload }) => (type === 'event_msg' ? `event ${payload.type}` : type))
const shape = ({ messages }: Conversation) =>
  messages.map((m) => `${m.role} ${m.origin} ${m.parts.map((p) => p.type).join('+')}`)
const indexOf = ({ messages }: Conversation, text: string) =>
  messages.findIndex((message) => readText(message) === text)
const summarize = (conversation: Conversation, start: number, end: number) =>
  apply(conversation, [{ type: 'replace', start, end, messages: [createSummaryMessage('before')] }])

function toSource(bytes: Uint8Array): ByteSource {
  const shared = new Uint8Array(bytes.length)
  return {
    byteLength: bytes.length,
    read(start, end) {
      // The same buffer every time, as a file reader would have it.
      shared.set(bytes.subarray(start, end))
      return shared.subarray(0, end - start)
    },
  }
}

function joinChunks(output: FormatOutput): Buffer {
  if (typeof output === 'string' || !(Symbol.iterator in output)) throw new TypeError('expected chunks of bytes')
  return Buffer.concat([...(output as Iterable<Uint8Array>)])
}

describe('codex, read', () => {
  test('knows the parts of a rollout', () => {
    const conversation = codex.parse(SESSION)
    expect(shape(conversation)).toEqual([
      'system environment text',
      'system environment text',
      'user environment text',
      'user user text',
      'assistant agent reasoning+text+tool-call+tool-call',
      'tool environment tool-result',
      'user user text',
      'tool environment tool-result',
      'assistant agent text',
      'user user text',
      'assistant agent reasoning+tool-call',
      'tool environment tool-result',
      'assistant agent opaque+text',
    ])
    expect(conversation.model).toBe('gpt-2')
    expect(conversation.workingDirectory).toBe('/repo/sub')
    expect(conversation.messages[11]?.parts[0]).toMatchObject({ name: 'apply_patch', isError: true })
    expect(conversation.messages[4]?.records?.map((record) => JSON.parse(LINES[record] ?? '').payload.type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ])
    expect(findCutPoints(conversation.messages).units).toEqual([
      { start: 4, end: 8 },
      { start: 10, end: 12 },
    ])
  })

  test('gives back what it read, byte for byte', () => {
    const documents = [
      SESSION,
      document(LINES, '\r\n'),
      SESSION.trimEnd(),
      `\ufeff${SESSION}`,
      `${SESSION}\n\n{"timestamp":"2026","type":"respon`,
      `${SESSION.slice(0, -40)}`,
      document([
        ...LINES,
        '{"type":"response_item","payload":{"type":"message","__proto__":{"role":"user"}}}',
        'null',
        '[]',
      ]),
    ]
    for (const text of documents) {
      const bytes = new TextEncoder().encode(text)
      expect(codex.serialize(codex.parse(text))).toBe(text)
      expect(codex.serialize(codex.parse(bytes))).toEqual(bytes)
      expect(joinChunks(codex.serialize(codex.parse(toSource(bytes)))).equals(bytes)).toBe(true)
    }
  })

  test('starts at what the last compaction left', () => {
    const history = [userItem('kept'), { type: 'compaction', encrypted_content: 'x' }]
    const compacted = line('compacted', { message: '', replacement_history: history })
    const lines = [...LINES, compacted, turnContext(3), ...said('third')]
    const conversation = codex.parse(document(lines))
    const index = lines.indexOf(compacted)
    expect(shape(conversation)).toEqual([
      'system environment text',
      'user user text',
      'assistant synthetic opaque',
      'user user text',
    ])
    expect(conversation.messages.map(({ records }) => records)).toEqual([[0], [index], [index], [index + 2]])
  })

  test('reads an old compaction as the words of the person and a summary', () => {
    const lines = [...LINES, line('compacted', { message: 'a summary' }), ...answered('on')]
    expect(codex.parse(document(lines)).messages.map((message) => `${message.origin} ${readText(message)}`)).toEqual([
      'environment You are Codex.',
      'user first',
      'user steering',
      'user second',
      'synthetic a summary',
      'agent on',
    ])
  })

  test('forgets the turns that were rolled back, with what was told for them', () => {
    const lines = [
      ...LINES,
      started(3),
      environment,
      turnContext(3),
      ...said('third'),
      event('thread_rolled_back', { num_turns: 2 }),
    ]
    const { messages } = codex.parse(document(lines))
    expect(messages.map(readText).at(-1)).toBe('done')
    const all = codex.parse(document([...LINES, event('thread_rolled_back', { num_turns: 99 })]))
    expect(shape(all)).toEqual(['system environment text', 'system environment text', 'user environment text'])
  })

  test('takes one element that nobody typed for injected, and a typed one for typed', () => {
    const lines = [...LINES, item(userItem('<new_notice>x</new_notice>')), ...said('<b>typed</b>')]
    const { messages } = codex.parse(document(lines))
    expect(messages.slice(-2).map(({ origin }) => origin)).toEqual(['synthetic', 'user'])
  })

  test('takes the first session_meta of a fork for its own', () => {
    const fork = codex.parse(
      document([meta(), meta({ id: 'parent-id', base_instructions: { text: 'Other.' } }), ...said('x')]),
    )
    expect(fork.messages.map(readText)).toEqual(['You are Codex.', 'x'])
    expect(readLines(codex.serialize(fork, newSession)).filter(({ type }) => type === 'session_meta')).toHaveLength(1)
  })

  test('leaves a call that still waits for its result open', () => {
    const conversation = codex.parse(document([meta(), ...said('x'), thought, called('a')]))
    expect(findCutPoints(conversation.messages).units).toEqual([{ start: 2, end: 3 }])
  })

  test('refuses what is no rollout, with the reason', () => {
    expect(() => codex.parse('')).toThrow(/empty/)
    expect(() => codex.parse(document([developer]))).toThrow(/no session_meta/)
    expect(() => codex.parse('{"id":"x","timestamp":"2025","instructions":null}\n')).toThrow(/before session_meta/)
    expect(() => codex.serialize({ ...codex.parse(SESSION), document: undefined })).toThrow(/another format/)
    expect(codex.detect(SESSION)).toBe(1)
    expect(codex.detect('{"type":"user","uuid":"x"}\n')).toBe(0)
    expect(codex.detect({ messages: [] })).toBe(0)
  })
})

describe('codex, written as a new session', () => {
  test('holds every live item with its bytes under the new id', () => {
    const conversation = codex.parse(SESSION)
    const output = String(codex.serialize(conversation, newSession))
    const live = LINES.filter((text) => text.includes('"response_item"') && !text.includes('ghost_snapshot'))
    expect(
      output.split('\n').filter((text) => text.includes('"response_item"') && !text.includes('ghost_snapshot')),
    ).toEqual(live)
    expect(readLines(output)[0]).toEqual({
      ...JSON.parse(LINES[0] ?? ''),
      timestamp: newSession.timestamp,
      payload: { ...JSON.parse(LINES[0] ?? '').payload, id: 'new-id', timestamp: newSession.timestamp },
    })
    expect(kinds(output)).not.toContain('event token_count')
    expect(kinds(output)).toContain('from_the_future')
    expect(shape(codex.parse(output))).toEqual(shape(conversation))
  })

  test('puts a summary in the place of a span and leaves out what showed it', () => {
    const conversation = codex.parse(SESSION)
    const compressed = summarize(conversation, indexOf(conversation, 'first'), indexOf(conversation, 'second'))
    const output = codex.serialize(compressed, newSession)
    expect(kinds(output)).toEqual([
      'session_meta',
      'event task_started',
      'response_item',
      'response_item',
      'response_item',
      'event task_complete',
      'event task_started',
      'from_the_future',
      'turn_context',
      'response_item',
      'event user_message',
      'response_item',
      'response_item',
      'event patch_apply_end',
      'response_item',
      'response_item',
      'event agent_message',
      'response_item',
      'event task_complete',
    ])
    const again = codex.parse(String(output))
    expect(shape(again)).toEqual(shape(compressed))
    expect(again.messages.filter(isSummary)).toHaveLength(1)
  })

  test('keeps the state of the surroundings only while all that was told of them is there', () => {
    const update = item(userItem('<environment_context>\n<date>2</date>\n</environment_context>'))
    const state = (full: boolean) => line('world_state', { full })
    const lines = [
      ...LINES.slice(0, 4),
      state(true),
      ...LINES.slice(4),
      update,
      state(false),
      turnContext(3),
      ...said('third'),
    ]
    const conversation = codex.parse(document(lines))
    const last = conversation.messages.length - 1
    const models = (edited: Conversation) =>
      readLines(codex.serialize(edited, newSession)).flatMap(({ type, payload }) =>
        type === 'turn_context' ? [payload.model] : type === 'world_state' ? [payload.full] : [],
      )
    expect(models(summarize(conversation, 3, last - 1))).toEqual([true, 'gpt-2', false, 'gpt-3'])
    expect(models(summarize(conversation, 3, last))).toEqual([true, 'gpt-2'])
    expect(models(summarize(conversation, 1, last))).toEqual([])
  })

  test('takes items out of a compaction with their bytes', () => {
    const history = '[ {"role":"user", "type":"message","content":[{"text":"caf\\u00e9","type":"input_text"}]} ]'
    const compacted = `{"timestamp":"2026","type":"compacted","payload":{"message":"","replacement_history":${history}}}`
    const text = document([meta(), ...said('gone'), compacted, ...answered('on')])
    for (const input of [text, new TextEncoder().encode(text)]) {
      const output = codex.serialize(codex.parse(input), newSession)
      const written = typeof output === 'string' ? output : new TextDecoder().decode(output as Uint8Array)
      expect(written).toContain(`"type":"response_item","payload":${history.slice(2, -2)}}\n`)
      expect(written).not.toContain('gone')
      expect(written).not.toContain('compacted')
    }
  })

  test('shortens an output and the copy that shows it, and nothing else', () => {
    const conversation = codex.parse(SESSION)
    const messages = conversation.messages.map((message) => (message.role === 'tool' ? clip(message) : message))
    const output = String(codex.serialize({ ...conversation, messages }, newSession))
    expect(output).not.toContain('A'.repeat(20))
    expect(payloads(output).find(({ call_id, output: text }) => call_id === 'a' && text)).toEqual({
      type: 'function_call_output',
      call_id: 'a',
      output: 'cut',
    })
    expect(
      readLines(output).find(({ payload }) => payload.type === 'exec_command_end' && payload.call_id === 'b')?.payload,
    ).toEqual({
      type: 'exec_command_end',
      call_id: 'b',
      stdout: '',
      stderr: '',
      aggregated_output: 'cut',
      formatted_output: '',
      exit_code: 0,
    })
    expect(payloads(output).map(({ type }) => type)).toContain('ghost_snapshot')
    expect(payloads(output).find(({ type }) => type === 'custom_tool_call')).toEqual(
      payloads(SESSION).find(({ type }) => type === 'custom_tool_call'),
    )
  })

  test('shows a rewritten answer as it was rewritten', () => {
    const conversation = codex.parse(SESSION)
    const messages = conversation.messages.map((message) =>
      readText(message) === 'done' && message.role === 'assistant'
        ? withParts(
            message,
            message.parts.map((part) => (part.type === 'text' ? { ...part, text: 'ok' } : part)),
          )
        : message,
    )
    const output = codex.serialize({ ...conversation, messages })
    expect(
      readLines(output).flatMap(({ payload }) => (payload.type === 'agent_message' ? [payload.message] : [])),
    ).toEqual(['looking', 'ok', 'patched'])
    expect(payloads(output).find(({ content }) => JSON.stringify(content)?.includes('"ok"'))).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'ok' }],
      phase: 'commentary',
    })
    expect(readLines(output)[0]?.payload.id).toBe('old-id')
  })

  test('is listed under its title when no request is left', () => {
    const conversation = codex.parse(SESSION)
    const output = codex.serialize(summarize(conversation, 1, conversation.messages.length), newSession)
    expect(kinds(output)).toEqual(['session_meta', 'event user_message', 'response_item', 'from_the_future'])
    expect(readLines(output)[1]?.payload.message).toBe('Compressed')
  })

  test('numbers its lines where the original does, and names the new thread', () => {
    const numbered = LINES.map((text, ordinal) => JSON.stringify({ ordinal, ...JSON.parse(text) }))
    const shown = {
      thread_id: 'old-id',
      item: { type: 'UserMessage', id: 'i', content: [{ type: 'text', text: 'fourth' }] },
    }
    numbered.push(JSON.stringify({ ordinal: 90, ...JSON.parse(item(userItem('fourth'))) }))
    numbered.push(JSON.stringify({ ordinal: 91, ...JSON.parse(event('item_completed', shown)) }))
    const conversation = codex.parse(document(numbered))
    const output = readLines(codex.serialize(summarize(conversation, 3, 9), newSession))
    expect(output.map(({ ordinal }) => ordinal)).toEqual(output.map((_, index) => index))
    expect(output.find(({ payload }) => payload.type === 'item_completed')?.payload.thread_id).toBe('new-id')
    const untitled = readLines(codex.serialize(summarize(conversation, 1, conversation.messages.length), newSession))
    expect(untitled[1]?.payload).toMatchObject({ type: 'item_completed', item: { type: 'UserMessage' } })
  })

  test('keeps the line break of the original and ends its last line', () => {
    const text = document(LINES, '\r\n').trimEnd()
    const output = String(codex.serialize(codex.parse(text), newSession))
    expect(output.endsWith('\r\n')).toBe(true)
    expect(output.replaceAll('\r\n', '')).not.toContain('\n')
  })

  test('writes edited base instructions', () => {
    const conversation = codex.parse(SESSION)
    const [system, ...rest] = conversation.messages
    if (system?.role !== 'system') throw new TypeError('expected the base instructions first')
    const messages = [withParts(system, [{ type: 'text', text: 'Short.' }]), ...rest]
    expect(readLines(codex.serialize({ ...conversation, messages }))[0]?.payload.base_instructions).toEqual({
      text: 'Short.',
    })
  })
})

function clip(message: ToolMessage): ToolMessage {
  return withParts(
    message,
    message.parts.map((part) =>
      part.type === 'tool-result' && part.name !== 'apply_patch'
        ? { ...part, output: [{ type: 'text', text: 'cut' }] }
        : part,
    ),
  )
}

const FOLDER = new URL('../../../../../shared/data/codex/', import.meta.url)
const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')) : []

describe.skipIf(names.length === 0)('codex, recorded sessions (skipped without ../shared/data/codex)', () => {
  test.each(names)('%s comes back byte for byte as text, bytes and byte source', (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, FOLDER)))
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    expect(codex.serialize(codex.parse(text)) === text).toBe(true)
    expect(Buffer.from(codex.serialize(codex.parse(bytes)) as Uint8Array).equals(bytes)).toBe(true)
    expect(joinChunks(codex.serialize(codex.parse(toSource(bytes)))).equals(bytes)).toBe(true)
  })

  test.each(names)('%s keeps every live item in a new session, the same from all three inputs', (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, FOLDER)))
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const conversation = codex.parse(text)
    const output = String(codex.serialize(conversation, newSession))
    expect(payloads(output)).toEqual(readLiveItems(text))
    expect(shape(codex.parse(output))).toEqual(shape(conversation))
    expect(Buffer.from(codex.serialize(codex.parse(bytes), newSession) as Uint8Array).toString() === output).toBe(true)
    expect(joinChunks(codex.serialize(codex.parse(toSource(bytes)), newSession)).toString() === output).toBe(true)
  })

  test.each(names)('%s: what counts as typed is what its events say was typed', (name) => {
    const text = readFileSync(new URL(name, FOLDER), 'utf8')
    const typed = new Set(
      readLines(text).flatMap(({ payload }) => (payload.type === 'user_message' ? [String(payload.message)] : [])),
    )
    for (const message of codex.parse(text).messages) {
      if (message.role !== 'user') continue
      expect({ text: readText(message), isTyped: typed.has(readText(message)) }).toEqual({
        text: readText(message),
        isTyped: message.origin === 'user',
      })
    }
  })
})

/** The history by its definition, read in another way than the format reads it. */
function readLiveItems(text: string): unknown[] {
  const lines = readLines(text)
  const last = lines.findLastIndex(({ type }) => type === 'compacted')
  const replacement = last < 0 ? [] : (lines[last]?.payload.replacement_history as unknown[])
  const rest = lines.slice(last + 1).filter(({ type }) => type === 'response_item')
  return [...replacement, ...rest.map(({ payload }): Message | unknown => payload)]
}
