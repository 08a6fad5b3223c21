import { describe, expect, test } from 'vitest'
import { readText } from '../../conversation/message.ts'
import {
  createSummaryMessage,
  isSummary,
  readLedgerText,
} from '../../conversation/summary-message.ts'
import { compressConversation } from '../../engine/compress-conversation.ts'
import { auto } from '../../engine/ladder.ts'
import { readUserWords } from '../../facts/user-words.ts'
import { codex } from '../codex/codex.ts'
import { readOutput } from '../shared/format.suite.ts'
import { openaiResponses } from './openai-responses.ts'
import { encodeOwnCompaction, readOwnCompaction } from './own-compaction.ts'

const summary = readText(
  createSummaryMessage(
    'State: half way. ✓ 日本',
    '## The words of the user\n> [1] Never touch vault.txt',
  ),
)
const item = { type: 'compaction', id: 'cmp_1', encrypted_content: encodeOwnCompaction(summary) }
const say = (role: 'user' | 'assistant', text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
})
const filler = 'The parser reads one token after the other and keeps its place. '.repeat(30)
const items = [
  item,
  ...Array.from({ length: 12 }, (_, turn) => [
    say('user', `Request ${turn}`),
    say('assistant', filler),
  ]).flat(),
  say('user', 'And now?'),
]

describe('the item of the gateway', () => {
  test('holds the summary exactly, and one that was cut off holds none', () => {
    expect(readOwnCompaction(item)).toBe(summary)
    expect(
      readOwnCompaction({ ...item, encrypted_content: `${item.encrypted_content.slice(0, 41)}!` }),
    ).toBeUndefined()
    expect(readOwnCompaction({ type: 'compaction', encrypted_content: 'gAAAA' })).toBeUndefined()
  })

  test('is read as a summary, and goes out as the bytes that came in', () => {
    const text = JSON.stringify({ model: 'gpt-5', input: items })
    const conversation = openaiResponses.parse(text)
    expect(isSummary(conversation.messages[0]!)).toBe(true)
    expect(openaiResponses.serialize(conversation)).toBe(text)
  })

  test('is a plain message with a ledger that goes on once it is compressed', async () => {
    const conversation = openaiResponses.parse({ model: 'gpt-5', input: items })
    const result = await compressConversation(conversation, { budgetTokens: 1_500, strategy: auto })
    expect(result.outcome.type).toBe('compressed')
    const ledger = result.conversation.messages
      .flatMap((message) => readLedgerText(message) ?? [])
      .join()
    expect(ledger).toContain('Never touch vault.txt')
    expect(readUserWords(result.conversation.messages).words.map(({ text }) => text)).toContain(
      'Never touch vault.txt',
    )
    const written = JSON.stringify(openaiResponses.serialize(result.conversation))
    expect(written).toContain('<conversation-summary')
    expect(written).not.toContain('"compaction"')
  })

  const rollout = [
    { timestamp: 't', type: 'session_meta', payload: { id: 'a', cwd: '/w' } },
    {
      timestamp: 't',
      type: 'compacted',
      payload: { message: '', replacement_history: [say('user', 'kept'), item] },
    },
    { timestamp: 't', type: 'response_item', payload: say('user', 'And now?') },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

  test('is a plain message in every copy of a session of Codex', () => {
    const conversation = codex.parse(rollout)
    expect(readOutput(codex.serialize(conversation))).toBe(rollout)
    const names = { sessionId: 'b', timestamp: 't', title: 'x', createId: () => 'id' }
    const copy = readOutput(codex.serialize(conversation, names))
    expect(copy).not.toContain('precis-compaction-1')
    expect(codex.parse(copy).messages.map(readText)).toEqual(['kept', summary, 'And now?'])
  })

  test('quotes no words in a copy that the agent has kept before it', () => {
    const conversation = codex.parse(rollout)
    const names = {
      sessionId: 'b',
      timestamp: 't',
      title: 'x',
      createId: () => 'id',
      withoutQuotes: (text: string, typed: readonly string[]) => `${text} without ${typed.join()}`,
    }
    const edited = { ...conversation, messages: [...conversation.messages] }
    const dropped = edited.messages.pop()
    expect(dropped).toBeDefined()
    for (const copied of [conversation, edited]) {
      const copy = codex.parse(readOutput(codex.serialize(copied, names)))
      expect(copy.messages.map(readText).slice(0, 2)).toEqual(['kept', `${summary} without kept`])
    }
  })
})
