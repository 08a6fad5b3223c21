import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { formats } from '../formats/index.ts'
import { createBands } from '../strategies/bands.ts'
import { applyStrategies } from './apply-strategies.ts'

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))
const newSession = {
  sessionId: '0f0f0f0f-1111-4222-8333-444444444444',
  timestamp: '2026-11-21T10:00:00.000Z',
  title: 'Clone',
  createId: () => crypto.randomUUID(),
}
const sessions = (['claude-code', 'codex'] as const).flatMap((format) => {
  const folder = join(DATA, format)
  return existsSync(folder)
    ? readdirSync(folder).map((file) => ({ format, file, path: join(folder, file) }))
    : []
})

const wordsOf = ({ messages }: Conversation) =>
  messages.map(readText).filter((text) => text.trim() !== '')
const othersOf = ({ messages }: Conversation) =>
  messages.flatMap((message: Message) =>
    message.parts.flatMap((part) =>
      part.type === 'tool-call' || part.type === 'tool-result' ? [part.callId] : [],
    ),
  )

describe.skipIf(sessions.length === 0)(
  'bands over recorded sessions (../shared/data)',
  { tags: 'slow' },
  () => {
    test.each(sessions)(
      '$file reads back as it was written, valid, with every call and every turn',
      async ({ format, path }) => {
        const given = formats[format].parse(readFileSync(path, 'utf8'))
        const bands = createBands({
          bands: [{ start: 0, end: 100, level: 0.3 }],
          includeUser: true,
        })
        const { conversation, report } = await applyStrategies(given, [bands])
        // A session that was compacted late may hold no long text at all.
        expect(report.rewrites.done).toBeGreaterThanOrEqual(report.rewrites.asked * 0.9)
        const read = formats[format].parse(formats[format].serialize(conversation, newSession))
        expect(checkInvariants(read)).toEqual([])
        expect(wordsOf(read)).toEqual(wordsOf(conversation))
        expect(othersOf(read)).toEqual(othersOf(conversation))
        expect(read.messages.filter(({ origin }) => origin === 'user')).toHaveLength(
          conversation.messages.filter(({ origin }) => origin === 'user').length,
        )
      },
    )
  },
)
