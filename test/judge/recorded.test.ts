import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { isObject, type JsonObject, readList } from './provider.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const DATA = `${root}../shared/data`

const readRecords = (path: string): JsonObject[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter(isObject)

const listFiles = (folder: string): string[] =>
  existsSync(`${DATA}/${folder}`)
    ? readdirSync(`${DATA}/${folder}`).map((name) => `${DATA}/${folder}/${name}`)
    : []

test('the example session is valid', () => {
  const messages = readRecords(`${root}examples/rate-limiter.jsonl`).flatMap(
    ({ message }) => message ?? [],
  )
  expect(messages.length).toBeGreaterThan(100)
  expect(anthropicMessages.judge({ messages })).toEqual([])
})

// What agents sent, and providers took.
const recorded = { codex: listFiles('codex'), chat: listFiles('openai-chat') }

describe.skipIf(recorded.codex.length === 0)(
  'recorded sessions (../shared/data) are valid',
  { tags: 'slow' },
  () => {
    test.each(recorded.codex)('%s', (path) => {
      const input = readRecords(path).flatMap(({ type, payload }) =>
        type === 'response_item' ? [payload] : [],
      )
      expect(input.length).toBeGreaterThan(10)
      expect(openaiResponses.judge({ input })).toEqual([])
    })

    test.each(recorded.chat)('%s', (path) => {
      const body: unknown = JSON.parse(readFileSync(path, 'utf8'))
      const messages = readList(isObject(body) ? body.messages : body)
      expect(messages.length).toBeGreaterThan(5)
      expect(openaiChat.judge({ messages })).toEqual([])
    })
  },
)
