import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
} from '../cli/command.suite.ts'
import { loadSession } from '../sessions/load-session.ts'
import { readRecordedSession } from './recorded-session.ts'

async function read(text: string, name = 'session.jsonl') {
  const path = join(createHome(), name)
  writeFileSync(path, text)
  const session = await loadSession(path)
  try {
    return readRecordedSession(session)
  } finally {
    session.document.close()
  }
}

const claude = createClaudeSession({ sessionId: createUuid(1), turns: 4 })

describe('readRecordedSession', () => {
  test('gives each answer of Claude Code what came before it, with its time', async () => {
    const recorded = await read(claude)
    expect(recorded).toMatchObject({
      format: 'claude-code',
      requestFormat: 'anthropic-messages',
      hasTimes: true,
      compactions: 0,
    })
    expect(recorded.steps).toHaveLength(12)
    expect(recorded.steps.map(({ startsTurn }) => startsTurn).slice(0, 4)).toEqual([
      true,
      false,
      false,
      true,
    ])
    const [first, second] = recorded.steps
    expect(first?.input).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Fix the tax in cart.ts' }] },
    ])
    expect(first?.timeMs).toBe(Date.UTC(2026, 3, 1))
    expect(second?.timeMs).toBe(Date.UTC(2026, 3, 1) + 2000)
    expect(JSON.stringify(second?.input)).toContain('tool_result')
    expect(JSON.stringify(second?.answer)).toContain('toolu_e0')
  })

  test('undoes compactions of OpenCode, and knows its times', async () => {
    const record = (
      id: string,
      role: string,
      created: number,
      part: object,
      extra: object = {},
    ) => ({
      info: { id, role, time: { created }, modelID: 'm1', providerID: 'fake', ...extra },
      parts: [part],
    })
    const messages = [
      record('msg_1', 'user', 1000, { type: 'text', text: 'one' }),
      record('msg_2', 'assistant', 2000, { type: 'text', text: 'first' }, { finish: 'stop' }),
      record('msg_3', 'user', 3000, { type: 'compaction', auto: true }),
      record(
        'msg_4',
        'assistant',
        4000,
        { type: 'text', text: 'In short.' },
        {
          parentID: 'msg_3',
          summary: true,
          finish: 'stop',
        },
      ),
      record('msg_5', 'user', 5000, { type: 'text', text: 'two' }),
      record('msg_6', 'assistant', 6000, { type: 'text', text: 'second' }, { finish: 'stop' }),
    ]
    const recorded = await read(JSON.stringify({ info: { id: 'ses_1' }, messages }), 'session.json')
    expect(recorded).toMatchObject({ format: 'opencode', compactions: 1, hasTimes: true })
    expect(recorded.steps.map(({ timeMs }) => timeMs)).toEqual([1000, 5000])
    expect(JSON.stringify(recorded.steps.map(({ answer }) => answer))).toMatch(/first.*second/)
  })

  test('undoes compactions of Claude Code', async () => {
    const lines = claude.trimEnd().split('\n')
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: createUuid(900),
      parentUuid: null,
      isSidechain: false,
    }
    const summary = {
      type: 'user',
      uuid: createUuid(901),
      parentUuid: createUuid(900),
      isSidechain: false,
      isCompactSummary: true,
      sessionId: createUuid(1),
      timestamp: '2026-04-01T00:00:12.000Z',
      message: { role: 'user', content: 'In short: all of it.' },
    }
    const next = { ...JSON.parse(lines[12] ?? '{}'), parentUuid: createUuid(901) }
    const compacted = [
      ...lines.slice(0, 12),
      ...[boundary, summary, next].map((entry) => JSON.stringify(entry)),
      ...lines.slice(13),
    ]
    const recorded = await read(`${compacted.join('\n')}\n`)
    const whole = await read(claude)
    expect(recorded.compactions).toBe(1)
    expect(recorded.steps.map(({ input, answer }) => ({ input, answer }))).toEqual(
      whole.steps.map(({ input, answer }) => ({ input, answer })),
    )
  })

  test('undoes compactions of Codex', async () => {
    const text = createCodexSession({ sessionId: createUuid(2), turns: 3 })
    const lines = text.trimEnd().split('\n')
    const compacted = {
      timestamp: '2026-04-01T10:00:00.000Z',
      type: 'compacted',
      payload: { message: 'In short.', replacement_history: [] },
    }
    const recorded = await read(
      `${[...lines.slice(0, 8), JSON.stringify(compacted), ...lines.slice(8)].join('\n')}\n`,
    )
    const whole = await read(text)
    expect(recorded).toMatchObject({
      format: 'codex',
      requestFormat: 'openai-responses',
      compactions: 1,
      model: 'gpt-5',
    })
    expect(recorded.steps).toHaveLength(6)
    expect(recorded.steps).toEqual(whole.steps)
  })

  test('takes system prompt and tools of a request apart', async () => {
    const request = {
      model: 'claude-opus-4-8',
      system: 'You mend shops.',
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: 'I looked.' },
        { role: 'user', content: 'And now?' },
      ],
    }
    const recorded = await read(JSON.stringify(request), 'request.json')
    expect(recorded).toMatchObject({
      requestFormat: 'anthropic-messages',
      hasTimes: false,
      system: 'You mend shops.',
    })
    expect(recorded.tools).toHaveLength(1)
    expect(recorded.steps).toHaveLength(1)
  })
})
