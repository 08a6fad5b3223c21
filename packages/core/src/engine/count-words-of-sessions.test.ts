import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { person } from '../conversation/histories.suite.ts'
import { type Conversation, renderPart } from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import { readUserWords } from '../facts/user-words.ts'
import { formats } from '../formats/index.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))
const MOST_BYTES = 2_500_000
const sessions = (['claude-code', 'codex', 'pi'] as const).flatMap((format) => {
  const folder = join(DATA, format)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((file) => ({ format, file, text: readFileSync(join(folder, file), 'utf8') }))
})

/** Everything that a result says, with the lines of its ledger as they were typed. */
function renderAll({ messages }: Conversation): string {
  const texts = messages.flatMap((message) => [
    ...message.parts.map(renderPart),
    readLedgerText(message) ?? '',
  ])
  return redactSecrets(texts.join('\n')).replaceAll('\n>   ', '\n')
}

const recorded = sessions.filter(({ text }) => text.length <= MOST_BYTES)

describe.skipIf(recorded.length === 0)(
  'words of the user in recorded sessions (../shared/data)',
  {
    tags: 'slow',
  },
  () => {
    test.each(recorded)(
      '$file: each counts once, over three compressions',
      async ({ format, text }) => {
        let conversation = formats[format].parse(text)
        let typed = readUserWords(conversation.messages).words.length
        for (const budgetTokens of [12_000, 6_000, 2_500]) {
          const compression = await compressConversation(conversation, {
            strategy: auto,
            budgetTokens,
            isKept: true,
          })
          const { total, verbatim, clipped, retrievable, missing } =
            compression.report.receipt.words
          expect({ total, sum: verbatim + clipped + retrievable + missing }).toEqual({
            total: typed,
            sum: typed,
          })
          expect(missing).toBe(0)
          const said = readUserWords(compression.conversation.messages)
          expect(verbatim + clipped).toBe(said.words.length)
          const all = renderAll(compression.conversation)
          const there = readUserWords(conversation.messages).words.filter((one) =>
            all.includes(one.text),
          )
          expect(verbatim).toBeLessThanOrEqual(there.length)
          conversation = {
            ...compression.conversation,
            messages: [...compression.conversation.messages, person('Go on.')],
          }
          typed++
        }
      },
    )
  },
)
