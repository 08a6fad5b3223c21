import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findCutPoints } from '../../conversation/cut-points.ts'
import { type Conversation, readText } from '../../conversation/message.ts'
import { createSummaryMessage, readLedgerText } from '../../conversation/summary-message.ts'
import { readOutput, testFormat } from '../shared/format.suite.ts'
import type { ByteSource } from '../shared/format.ts'
import { codex } from './codex.ts'
import {
  answered,
  called,
  completed,
  copySample,
  developer,
  document,
  environment,
  event,
  hostWords,
  item,
  joinChunks,
  LINES,
  type Line,
  line,
  meta,
  newSession,
  ran,
  readLines,
  readLiveItems,
  SESSION,
  said,
  shape,
  started,
  thought,
  toSource,
  turnContext,
  userItem,
} from './session.suite.ts'

// Leaves out events that show a message, which change with it, and what Codex writes or counts
// again.
const asked = (text: string) => item(userItem(text))
const spoken = (text: string) => answered(text).slice(1)

testFormat(codex, {
  copySample,
  hostWords,
  documents: {
    'two messages': document([meta(), asked('first'), ...spoken('done')]),
    'a turn with a call': document([
      meta(),
      turnContext(1),
      started(1),
      asked('first'),
      thought,
      ...spoken('looking'),
      called('a'),
      ...ran('a', 'A'),
      ...spoken('found'),
      completed(1),
      started(2),
      asked('second'),
    ]),
  },
})

test('what precis puts back by a hook after a compaction is a summary of precis, byte for byte the same when it is written', () => {
  const own = readText(
    createSummaryMessage('', '## The words of the user\n> [1] Never touch src/legacy', ''),
  )
  const hook = item({
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: own }],
  })
  const text = document([meta(), hook, ...said('Go on')])
  const conversation = codex.parse(text)
  expect(conversation.messages.map(({ origin }) => origin)).toEqual(['synthetic', 'user'])
  expect(readLedgerText(conversation.messages[0]!)).toContain('Never touch src/legacy')
  expect(readOutput(codex.serialize(conversation))).toEqual(readOutput(text))
})

describe('codex, read', () => {
  test('knows the parts of a rollout', () => {
    const conversation = codex.parse(SESSION)
    expect(shape(conversation)).toEqual([
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
    expect(conversation.messages[8]?.parts[0]).toMatchObject({ name: 'apply_patch', isError: true })
    expect(
      conversation.messages[1]?.records?.map(
        (record) => JSON.parse(LINES[record] ?? '').payload.type,
      ),
    ).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
    expect(findCutPoints(conversation.messages).units).toEqual([
      { start: 1, end: 5 },
      { start: 7, end: 9 },
    ])
  })

  test('leaves out what Codex tells anew at every resume', () => {
    const agents = '# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>'
    const surroundings = '<environment_context>\n<cwd>/x</cwd>\n</environment_context>'
    const content = [agents, surroundings].map((text) => ({ type: 'input_text', text }))
    const told = (kind: string, text: string) =>
      item({
        ...userItem(text),
        internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] },
      })
    const lines = [
      meta(),
      item({ type: 'message', role: 'user', content }),
      item(userItem('<user_instructions>be brief</user_instructions>')),
      told('agents_md.instructions', 'Be brief.'),
      ...said('first'),
      developer,
      environment,
      ...answered('on'),
    ]
    expect(codex.parse(document(lines)).messages.map(readText)).toEqual(['first', 'on'])
  })

  test('keeps notices of what happened as messages of nobody', () => {
    const notices = [
      '<subagent_notification>{}</subagent_notification>',
      '<turn_aborted>\nstopped\n</turn_aborted>',
      '<user_shell_command>\nls\n</user_shell_command>',
      '<skill>\n<name>x</name>\n</skill>',
      'Another language model started to solve this problem and produced a summary.',
    ]
    const { messages } = codex.parse(
      document([meta(), ...notices.map((text) => item(userItem(text)))]),
    )
    expect(messages.map(readText)).toEqual(notices)
    expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set(['synthetic']))
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
    const told = [JSON.parse(developer).payload, JSON.parse(environment).payload]
    const history = [...told, userItem('kept'), { type: 'compaction', encrypted_content: 'x' }]
    const compacted = line('compacted', { message: '', replacement_history: history })
    const lines = [...LINES, compacted, turnContext(3), ...said('third')]
    const conversation = codex.parse(document(lines))
    const index = lines.indexOf(compacted)
    expect(shape(conversation)).toEqual([
      'user user text',
      'assistant synthetic opaque',
      'user user text',
    ])
    expect(conversation.messages.map(({ records }) => records)).toEqual([
      [index],
      [index],
      [index + 2],
    ])
  })

  test('reads an old compaction as the words of the person and a summary', () => {
    const lines = [...LINES, line('compacted', { message: 'a summary' }), ...answered('on')]
    expect(
      codex
        .parse(document(lines))
        .messages.map((message) => `${message.origin} ${readText(message)}`),
    ).toEqual(['user first', 'user steering', 'user second', 'synthetic a summary', 'agent on'])
  })

  test('forgets the turns that were rolled back', () => {
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
    expect(all.messages).toEqual([])
  })

  test('takes one element that nobody typed for injected, and a typed one for typed', () => {
    const lines = [...LINES, item(userItem('<new_notice>x</new_notice>')), ...said('<b>typed</b>')]
    const { messages } = codex.parse(document(lines))
    expect(messages.slice(-2).map(({ origin }) => origin)).toEqual(['synthetic', 'user'])
  })

  test('takes for typed what looks like the surroundings, if the next event shows it', () => {
    const typed = [
      '<environment_context>\nthe host is 10.0.0.7\n</environment_context>',
      '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>',
    ]
    const compacted = line('compacted', { message: '', replacement_history: typed.map(userItem) })
    for (const end of [[], [compacted]]) {
      const lines = [meta(), environment, ...said('first'), ...typed.flatMap(said), ...end]
      const conversation = codex.parse(document(lines))
      const words = end.length > 0 ? typed : ['first', ...typed]
      expect(conversation.messages.map(readText)).toEqual(words)
      expect(conversation.messages.every(({ origin }) => origin === 'user')).toBe(true)
      const copy = readOutput(codex.serialize(conversation, newSession))
      expect(codex.parse(copy).messages.map(readText)).toEqual(words)
    }
  })

  test('takes the first session_meta of a fork for its own', () => {
    const fork = codex.parse(
      document([meta({ cwd: '/own' }), meta({ id: 'parent-id' }), ...said('x')]),
    )
    expect(fork.workingDirectory).toBe('/own')
    const copy = readLines(codex.serialize({ ...fork, messages: [] }, newSession))
    expect(
      copy.filter(({ type }) => type === 'session_meta').map(({ payload }) => payload.cwd),
    ).toEqual(['/own'])
  })

  test('leaves a call that still waits for its result open', () => {
    const conversation = codex.parse(document([meta(), ...said('x'), thought, called('a')]))
    expect(findCutPoints(conversation.messages).units).toEqual([{ start: 1, end: 2 }])
  })

  test('refuses what is no rollout, with the reason', () => {
    expect(() => codex.parse('')).toThrow(/empty/)
    expect(() => codex.parse(document([developer]))).toThrow(/no session_meta/)
    expect(() => codex.parse('{"id":"x","timestamp":"2025","instructions":null}\n')).toThrow(
      /before session_meta/,
    )
    expect(() => codex.serialize({ ...codex.parse(SESSION), document: undefined })).toThrow(
      /read from no session/,
    )
    expect(codex.detect(SESSION)).toBe(1)
    expect(codex.detect('{"type":"user","uuid":"x"}\n')).toBe(0)
    expect(codex.detect({ messages: [] })).toBe(0)
  })
})

const FOLDER = new URL('../../../../../../shared/data/codex/', import.meta.url)
const names = existsSync(FOLDER)
  ? readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'))
  : []

describe.skipIf(names.length === 0)(
  'codex, recorded sessions (skipped without ../shared/data/codex)',
  { tags: 'slow' },
  () => {
    test.each(names)('%s comes back byte for byte as text, bytes and byte source', (name) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, FOLDER)))
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      expect(codex.serialize(codex.parse(text)) === text).toBe(true)
      expect(Buffer.from(codex.serialize(codex.parse(bytes)) as Uint8Array).equals(bytes)).toBe(
        true,
      )
      expect(joinChunks(codex.serialize(codex.parse(toSource(bytes)))).equals(bytes)).toBe(true)
    })

    test.each(names)(
      '%s keeps every item in a clone, and every live one that was said in a rewritten copy',
      (name) => {
        const bytes = new Uint8Array(readFileSync(new URL(name, FOLDER)))
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
        const conversation = codex.parse(text)
        const clone = readOutput(codex.serialize(conversation, newSession))
        expect(readLiveItems(clone)).toEqual(readLiveItems(text))
        const write = (input: string | Uint8Array | ByteSource) =>
          codex.serialize(touch(codex.parse(input)), newSession)
        const copy = readOutput(write(text))
        expect(readLiveItems(copy)).toEqual(
          readLiveItems(text)
            .filter(hasWords)
            .concat(userItem(readText(TOUCH))),
        )
        expect(shape(codex.parse(copy))).toEqual(shape(touch(conversation)))
        expect(codex.parse(copy).model).toBe(conversation.model)
        expect(Buffer.from(write(bytes) as Uint8Array).toString() === copy).toBe(true)
        expect(joinChunks(write(toSource(bytes))).toString() === copy).toBe(true)
      },
    )

    test.each(names)('%s: what counts as typed is what its events say was typed', (name) => {
      const text = readFileSync(new URL(name, FOLDER), 'utf8')
      const typed = new Set(
        readLines(text).flatMap(({ payload }) =>
          payload.type === 'user_message' ? [String(payload.message)] : [],
        ),
      )
      for (const message of codex.parse(text).messages) {
        if (message.role !== 'user') continue
        expect({ text: readText(message), isTyped: typed.has(readText(message)) }).toEqual({
          text: readText(message),
          isTyped: message.origin === 'user',
        })
      }
    })
  },
)

const TOUCH = createSummaryMessage('touched')

function touch(conversation: Conversation): Conversation {
  return { ...conversation, messages: [...conversation.messages, TOUCH] }
}

/** A separate definition, taken from the recordings. */
function hasWords(payload: Line['payload']): boolean {
  const isTold =
    JSON.stringify(payload.content)?.includes('<environment_context>') && payload.role === 'user'
  return payload.role !== 'developer' && !isTold
}
