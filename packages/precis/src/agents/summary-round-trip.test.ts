import { apis, type TextAnswer } from '@precis/core/apis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  continueClaude,
  createClaudeRequest,
  createCodexCompact,
  createCodexPrompt,
  createCodexTrigger,
  createGeminiRequest,
  createOpencodeRequest,
} from './compaction-requests.suite.ts'
import { agents } from './index.ts'
import type { WireRequest } from './shared/wire.ts'

const HANDED_ON =
  'Another language model started to solve this problem and produced a summary of its thinking process. Use the information in this summary:\n'
const NOTES = `

If you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: /home/a/.claude/projects/b/c.jsonl

Note: part of the earlier conversation was too large to include and is NOT covered by this summary.

Note: 2 tool results (Bash x2) were too large to include, and this summary was written without them.
Continue the conversation from where it left off without asking the user any further questions. Resume directly.

The messages after this summary are the most recent messages from before compaction, kept verbatim. The summary was written without seeing them.`

function find(name: string, request: WireRequest) {
  const wire = agents.find((agent) => agent.name === name)?.wire
  const found = wire?.readCompaction(request)
  if (!wire || !found) throw new Error(`no request of ${name}`)
  return { ...wire, ...found }
}

// Difficult content: tags, breaks, spaces, and text that was protected before.
const pieces = fc.constantFrom(
  '\n',
  ' ',
  '\\',
  '<',
  '</summary>',
  '<summary>',
  '<analysis>',
  '</analysis>',
  '<\\/summary>',
  '</SUMMARY>',
  '<tools-used-before-summary>',
  '< / tools-used-before-summary',
  '\n\nNote: ',
  '\n\nIf you need specific details from before compaction (like exact ',
  'Summary:',
  '日本',
)
const summaries = fc
  .array(fc.oneof({ weight: 4, arbitrary: pieces }, fc.string({ unit: 'grapheme' })), {
    maxLength: 30,
  })
  .map((parts) => parts.join('').trim())
  .filter((text) => text !== '')

describe('a summary comes back as it was written', () => {
  test.each(['', NOTES])(
    'from Claude Code, with notes behind it: %j',
    { tags: 'property' },
    (notes) => {
      const claude = find('claude-code', createClaudeRequest())
      fc.assert(
        fc.property(summaries, (summary) => {
          // If the agent adds no notes, a last line that looks like a note is read as one.
          fc.pre(notes !== '' || !/\n\n(?:Note: |If you need specific)[^\n]*$/.test(summary))
          expect(claude.unwrapSummary(continueClaude(claude.wrapSummary(summary), notes))).toBe(
            summary,
          )
        }),
      )
    },
  )

  test('from Codex, Gemini CLI and OpenCode', { tags: 'property' }, () => {
    const codex = find('codex', createCodexPrompt())
    const gemini = find('gemini-cli', createGeminiRequest())
    const opencode = find('opencode', createOpencodeRequest())
    fc.assert(
      fc.property(summaries, (summary) => {
        expect(codex.unwrapSummary(HANDED_ON + codex.wrapSummary(summary))).toBe(summary)
        expect(gemini.unwrapSummary(gemini.wrapSummary(summary).trim())).toBe(summary)
        expect(opencode.unwrapSummary(opencode.wrapSummary(summary))).toBe(summary)
      }),
    )
  })

  test('from an item of Codex that only precis can read', { tags: 'property' }, () => {
    const codex = find('codex', createCodexTrigger())
    fc.assert(
      fc.property(summaries, (summary) => {
        const item = codex
          .createAnswer?.(answer(codex.wrapSummary(summary)))
          .events.flatMap(({ data }) =>
            typeof data === 'object' && data.type === 'response.output_item.done'
              ? [data.item]
              : [],
          )
        expect(item).toHaveLength(1)
        const restored = codex.restoreMessage?.(JSON.parse(JSON.stringify(item?.[0])))
        expect(restored).toMatchObject({ type: 'message', role: 'user' })
        expect(codex.unwrapSummary(readText(restored))).toBe(summary)
      }),
    )
  })

  test.each(agents.flatMap(({ name, wire }) => (wire ? [[name, wire] as const] : [])))(
    'and no other text is one for %s',
    (_, wire) => {
      for (const text of [
        '',
        'hello',
        'Summary:\nall',
        '<summary>',
        'This session is being continued from a previous',
      ])
        expect(wire.unwrapSummary(text)).toBeUndefined()
      const quoted = `I read: ${HANDED_ON}all`
      expect(wire.unwrapSummary(quoted)).toBeUndefined()
    },
  )
})

const answer = (text: string): TextAnswer => ({
  text,
  model: 'gpt-5-codex',
  id: 'a1',
  time: 1_795_452_226,
  usage: { inputTokens: 100, outputTokens: 10 },
})

function readText(message: unknown): string {
  const request = apis['openai-responses'].readRequest({ model: 'm', input: [message] })
  const [first] = request?.messages ?? []
  return first && 'content' in first && Array.isArray(first.content)
    ? String(first.content[0]?.text)
    : ''
}

describe('an answer to Codex', () => {
  test('is exactly one item of a stream that is completed, with its usage', () => {
    const codex = find('codex', createCodexTrigger())
    const { events = [], body } = codex.createAnswer?.(answer('all')) ?? {}
    expect(events.map(({ name }) => name)).toEqual([
      'response.created',
      'response.output_item.done',
      'response.completed',
    ])
    const item = { type: 'compaction', id: 'cmp_a1', encrypted_content: 'precis-compaction-1:YWxs' }
    expect(events[1]?.data).toMatchObject({ item })
    expect(events[2]?.data).toMatchObject({
      response: { output: [item], usage: { total_tokens: 110 } },
    })
    expect(body).toMatchObject({ object: 'response', output: [item] })
  })

  test('that asked at an address of its own is one object', () => {
    const codex = find('codex', createCodexCompact())
    const { events, body } = codex.createAnswer?.(answer('all')) ?? {}
    expect(events).toEqual([])
    expect(body).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] })
  })

  test('of a provider stays as it is', () => {
    const codex = find('codex', createCodexTrigger())
    for (const message of [
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAABk' },
      { type: 'compaction', encrypted_content: { mine: true } },
      { type: 'reasoning', encrypted_content: 'precis-compaction-1:YWxs' },
      { type: 'message', role: 'user', content: [] },
    ])
      expect(codex.restoreMessage?.(message)).toBeUndefined()
  })
})

describe('the session of a request', () => {
  const id = '01a2094a-c3c1-7330-98da-3715883e5d24'
  test.each([
    ['claude-code', { 'x-claude-code-session-id': id }, id],
    ['claude-code', { 'x-claude-code-session-id': id, 'x-claude-code-agent-id': 'a7' }, `${id}/a7`],
    ['claude-code', { 'x-claude-code-session-id': 'a b' }, undefined],
    ['claude-code', { 'x-claude-code-session-id': 'a'.repeat(1000) }, undefined],
    ['codex', { 'thread-id': id, 'session-id': 'other', originator: 'codex_exec' }, id],
    ['codex', { session_id: id, originator: 'codex_cli_rs' }, id],
    ['codex', { 'thread-id': id }, undefined],
    ['gemini-cli', { 'user-agent': 'GeminiCLI/0.61.0' }, undefined],
    ['opencode', { 'x-session-id': 'ses_1', 'user-agent': 'opencode/1.18.33' }, 'ses_1'],
    ['opencode', { 'x-opencode-session': 'ses_1', 'user-agent': 'opencode/1.18.33' }, 'ses_1'],
    ['opencode', { 'x-session-id': 'ses_1' }, undefined],
  ])('of %s with %j is %s', (name, headers, expected) => {
    const agent = agents.find((other) => other.name === name)
    expect(agent?.wire?.readSession(headers)).toBe(expected)
    for (const other of agents)
      if (other !== agent) expect(other.wire?.readSession(headers)).toBeUndefined()
  })
})
