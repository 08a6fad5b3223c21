import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSummaryMessage,
  createSyntheticMessage,
  readSummary,
  readText,
} from '@precis/core/conversation'
import { afterAll, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { protectSummary } from '../agents/claude-code/wire.ts'
import { openStore } from '../archive/open-store.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { rememberSummary, restoreSummary, STORE_HOST } from './restore-summary.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-restore-'))
afterAll(() => rmSync(folder, { recursive: true }))
const archive = { database: join(folder, 'archive.db'), quotaBytes: 1e9 }

const summary = readText(
  createSummaryMessage('half way', '## The words of the user\n> [1] Never touch vault.txt'),
)
const continued = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n${protectSummary(summary)}\nContinue the conversation from where it left off`
const session = {
  agent: claudeCode,
  conversation: {
    protocol: 'anthropic-messages',
    messages: [{ ...createSyntheticMessage('user', continued), records: [3] }],
    tools: [],
  },
} as unknown as LoadedSession

test('a summary inside of words of the agent is one of precis where precis is known to have made it, and only there', async () => {
  expect(await restoreSummary(session, archive)).toBe(session)
  const store = openStore(archive.database, { host: STORE_HOST })
  await rememberSummary(store, summary)
  await store.close()
  const [message] = (await restoreSummary(session, archive)).conversation.messages
  expect(message && readSummary(message)).toBe('half way')
  expect(message?.records).toEqual([3])
  expect(await restoreSummary(session, undefined)).toBe(session)
})
