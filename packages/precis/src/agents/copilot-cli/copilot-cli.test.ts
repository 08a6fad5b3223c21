import { expect, test } from 'vitest'
import { createMemorySource } from '../../files/read-document.ts'
import { copilotCli } from './copilot-cli.ts'

const line = (type: string, data: object, more: object = {}) =>
  JSON.stringify({ type, data, ...more })
const used = line('session.usage_record', { usage: { inputTokens: 1000, outputTokens: 20 } })
const count = (...lines: readonly string[]) =>
  copilotCli.readContextTokens?.(createMemorySource(Buffer.from(`${lines.join('\n')}\n`)))

test.each([
  [
    'a request of a sub-agent',
    line('session.usage_record', { usage: { inputTokens: 9 } }, { agentId: 'a' }),
  ],
  ['a compaction of a sub-agent', line('session.compaction_complete', {}, { agentId: 'a' })],
  [
    'words about a compaction',
    line('assistant.message', { content: 'It is session.compaction_complete.' }),
  ],
])('%s says nothing of the size of the context', (_, later) => {
  expect(count(used, later)).toBe(1020)
  expect(count(used, line('session.compaction_complete', {}), later)).toBeUndefined()
})
