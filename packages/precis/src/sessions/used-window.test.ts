import { findModel } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { agents } from '../agents/index.ts'
import { createMemorySource } from '../files/read-document.ts'
import { loadDocument } from './load-session.ts'
import { findUsedWindow } from './recorded-context.ts'

const timestamp = '2026-11-20T10:00:00Z'
const million = { ...findModel('claude-opus-4-8'), contextWindowTokens: 1_000_000 }
const small = { ...million, contextWindowTokens: 200_000 }

function load(lines: readonly object[]) {
  const source = createMemorySource(
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  )
  return loadDocument(
    'made',
    { source, path: undefined, stats: undefined, close: () => {} },
    undefined,
    agents,
  )
}

const answer = (tokens: number, number: number) => ({
  type: 'assistant',
  uuid: `a${number}`,
  parentUuid: number === 0 ? null : `a${number - 1}`,
  sessionId: 's',
  timestamp,
  message: {
    id: `m${number}`,
    role: 'assistant',
    model: 'claude-opus-4-8',
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input_tokens: 10, cache_read_input_tokens: tokens - 10, output_tokens: 5 },
  },
})

const compaction = (trigger: string, preTokens: number) => ({
  type: 'system',
  subtype: 'compact_boundary',
  uuid: 'b',
  parentUuid: null,
  sessionId: 's',
  timestamp,
  compactMetadata: { trigger, preTokens },
})

describe('the window that was used', () => {
  test('is that of the model where nothing speaks against it', () => {
    expect(findUsedWindow(load([answer(150_000, 0)]), million)).toBe(1_000_000)
    expect(findUsedWindow(load([answer(150_000, 0), compaction('manual', 155_000)]), million)).toBe(
      1_000_000,
    )
  })

  test('is a smaller one where the agent compacted by itself far below it', () => {
    expect(findUsedWindow(load([answer(150_000, 0), compaction('auto', 155_000)]), million)).toBe(
      200_000,
    )
  })

  test('is a larger one where a request would not have fitted', () => {
    expect(findUsedWindow(load([answer(240_000, 0)]), small)).toBe(256_000)
    expect(findUsedWindow(load([answer(3_000_000, 0)]), small)).toBe(3_000_000)
  })

  test('is the long one where Claude Code asked for it last', () => {
    const asked = (requestedModel: string, number: number) => ({
      ...answer(1000, number),
      requestedModel,
    })
    const request = (...betas: string[]) => ({
      type: 'api-request',
      sessionId: 's',
      params: { betas },
    })
    const long = asked('claude-opus-4-8[1m]', 0)
    expect(findUsedWindow(load([long]), small)).toBe(1_000_000)
    expect(findUsedWindow(load([long, asked('claude-opus-4-8', 1)]), small)).toBe(200_000)
    expect(findUsedWindow(load([answer(1000, 0), request('context-1m-2025-08-07')]), small)).toBe(
      1_000_000,
    )
    expect(findUsedWindow(load([answer(1000, 0), request('effort-2025-11-24')]), small)).toBe(
      200_000,
    )
  })

  test('is the one that the agent notes', () => {
    const noted = (model_context_window: number) => ({
      timestamp,
      type: 'event_msg',
      payload: { type: 'token_count', info: { model_context_window } },
    })
    const meta = {
      timestamp,
      type: 'session_meta',
      payload: { id: 'x', cwd: '/work', cli_version: '0.169.0' },
    }
    expect(findUsedWindow(load([meta, noted(200_000), noted(258_400)]), million)).toBe(258_400)
  })
})
