/** Sessions and the pages made of them, for tests. */
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Conversation, createTokenCounter, findModel } from '@precis/core'
import { formats } from '@precis/core/formats'
import { compareMessages } from '../archive/compare-messages.ts'
import { createMemorySource } from '../files/read-document.ts'
import { loadSession } from '../sessions/load-session.ts'
import { type ComparedSession, createComparedSession } from './compared-session.ts'
import {
  createInspectedPage,
  createInspectedSession,
  type InspectedPage,
} from './inspected-page.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-pages-'))

export interface Exchange {
  readonly request: string
  readonly tool?: string
  readonly input?: object
  readonly output?: string
  readonly answer: string
  readonly reasoning?: string
}

/** A session of Claude Code with one call in each turn. */
export function createSession(
  exchanges: readonly Exchange[],
  facts: Readonly<Record<string, unknown>> = {},
): string {
  const lines: string[] = []
  const createId = (number: number) =>
    `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
  const add = (type: 'user' | 'assistant', message: object) => {
    const number = lines.length
    lines.push(
      JSON.stringify({
        parentUuid: number === 0 ? null : createId(number),
        isSidechain: false,
        userType: 'external',
        cwd: '/work/shop',
        sessionId: 'aaaaaaaa-1111-4222-8333-444444444444',
        version: '2.1.110',
        type,
        message,
        uuid: createId(number + 1),
        timestamp: new Date(Date.UTC(2026, 3, 1) + number * 1000).toISOString(),
        ...facts,
      }),
    )
  }
  const answer = (content: object[]) => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 900,
      output_tokens: 5,
    }
    const model = facts.model ?? 'claude-opus-4-5-20251101'
    add('assistant', {
      model,
      id: `msg_${lines.length}`,
      type: 'message',
      role: 'assistant',
      content,
      usage,
    })
  }
  for (const [
    turn,
    { request, tool = 'Read', input, output = '', answer: text, reasoning },
  ] of exchanges.entries()) {
    add('user', { role: 'user', content: request })
    if (reasoning !== undefined)
      answer([{ type: 'thinking', thinking: reasoning, signature: 'c2lnbmF0dXJl' }])
    answer([
      {
        type: 'tool_use',
        id: `call_${turn}`,
        name: tool,
        input: input ?? { file_path: `/work/shop/${turn}.ts` },
      },
    ])
    add('user', {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: output }],
    })
    answer([{ type: 'text', text }])
  }
  return `${lines.join('\n')}\n`
}

export async function inspectText(
  text: string,
  gone?: InspectedPage['gone'],
): Promise<InspectedPage> {
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, text)
  const session = await loadSession(path)
  try {
    const counter = createTokenCounter(findModel(session.conversation.model ?? ''))
    return createInspectedPage(createInspectedSession(session, counter), counter, gone)
  } finally {
    session.document.close()
  }
}

/** Every record of the original is a span, as after a compression that changed all of them. */
export function compareTexts(
  text: string,
  change: (before: Conversation) => Conversation,
  names: Partial<ComparedSession['compression']> = {},
  gone: ComparedSession['gone'] = [],
): ComparedSession {
  const source = createMemorySource(Buffer.from(text))
  const before = formats['claude-code'].parse(source)
  const after = change(before)
  const spans = text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => ({
      span: index + 1,
      fate: 'removed' as const,
      label: 'record',
      record: index,
      bytes: line.length + 1,
      hash: createHash('sha256').update(`${line}\n`).digest('hex'),
    }))
  return createComparedSession({
    compression: {
      id: 1,
      name: 'ab12cd34ef',
      command: 'compress',
      storedAt: '2026-04-01T10:00:00.000Z',
      format: 'claude-code',
      sessionId: null,
      path: '/tmp/b.jsonl',
      originalId: null,
      originalPath: '/tmp/a.jsonl',
      originalHash: '',
      originalBytes: text.length,
      resultBytes: null,
      resultHash: null,
      resultMessages: null,
      host: null,
      ...names,
    },
    report: {
      strategy: 'auto',
      summarizer: 'digest',
      rungs: [{ name: 'middle-out', tokensBefore: 1000, tokensAfter: 400 }],
      receipt: {
        kinds: { path: { total: 10, verbatim: 6, retrievable: 0, missing: 3, stale: 1 } },
        appended: 0,
        words: { total: 34, verbatim: 31, clipped: 2, retrievable: 1, missing: 0 },
      },
      cost: { before: 0.4, after: 0.1 },
    },
    gone,
    spans,
    source,
    format: 'claude-code',
    before,
    after,
    differences: compareMessages(before.messages, after.messages),
  })
}

/** As Claude Code begins one. */
export function createSummary(text: string): Conversation['messages'][number] {
  const opening =
    'This session is being continued from a previous conversation that ran out of context.'
  return {
    role: 'user',
    origin: 'synthetic',
    parts: [{ type: 'text', text: `${opening}\n${text}` }],
  }
}
