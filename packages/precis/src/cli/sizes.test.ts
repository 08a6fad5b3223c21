/** A session has the same size in every command. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTokenCounter, findModel } from '@precis/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSession } from '../sessions/load-session.ts'
import { renderCount } from '../terminal/render.ts'
import { createHome, runJson, runPrecis } from './command.suite.ts'

let home: string
beforeEach(() => {
  home = createHome()
})
afterEach(() => rmSync(home, { recursive: true }))

const DATA = fileURLToPath(new URL('../../../../../shared/data/', import.meta.url))

/** Its path in the agent's home, and whether the vocabulary of its model is public. */
const recordings = [
  {
    name: 'claude-code/entireio-cli-paul-02.jsonl',
    place: '.claude/projects/-work',
    isExact: false,
  },
  {
    name: 'codex/entireio-gitsync-soph-04.jsonl',
    place: '.codex/sessions/2026/11/20',
    isExact: true,
  },
  {
    name: 'codex/entireio-gitsync-soph-05.jsonl',
    place: '.codex/sessions/2026/11/20',
    isExact: true,
  },
  { name: 'gemini-cli/entireio-cli-01.json', place: '.gemini/tmp/demo/chats', isExact: false },
].filter(({ name }) => existsSync(join(DATA, name)))

function install(name: string, place: string): { readonly id: string; readonly path: string } {
  const text = readFileSync(join(DATA, name), 'utf8')
  const id = /"(?:sessionId|id)":\s*"([0-9a-f]{8}-[0-9a-f-]{27})"/.exec(text)?.[1] ?? ''
  const names: Readonly<Record<string, string>> = {
    claude: `${id}.jsonl`,
    codex: `rollout-2026-11-20T10-00-00-${id}.jsonl`,
    gemini: `session-2026-11-20T10-00-${id.slice(0, 8)}.json`,
  }
  const path = join(home, place, names[place.slice(1).split('/')[0] ?? ''] ?? '')
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(join(DATA, name), path)
  return { id, path }
}

describe.skipIf(recordings.length === 0)(
  'recorded sessions (../shared/data, when it is there)',
  { tags: 'slow' },
  () => {
    test.each(recordings)(
      '$name has one size in all commands',
      async ({ name, place, isExact }) => {
        const { id, path } = install(name, place)
        const read = async (...words: string[]) => await runJson(home, [...words])
        const [listed] = (await read('sessions')).sessions
        const inspected = await read('inspect', id)
        const results = [
          await read('compress', id, '--budget', '30%', '--dry-run'),
          await read('compress', id, '--window', '100k', '--dry-run'),
          await read('clone', id, '--profile', 'routine', '--dry-run'),
        ]
        const { contextTokens, notInFileTokens, billedTokens } = inspected
        expect(notInFileTokens).toBeGreaterThan(5_000)
        expect(contextTokens).toBe(inspected.tokens.total + notInFileTokens)
        expect(listed.tokens).toBe(billedTokens)
        // An estimate is an upper bound of what was billed.
        expect(contextTokens).toBeGreaterThanOrEqual(billedTokens)
        if (isExact) expect(contextTokens).toBe(billedTokens)
        for (const { before, after, ...result } of results) {
          expect(result).toMatchObject({ notInFileTokens, billedTokens })
          expect(before).toMatchObject({ tokens: inspected.tokens.total, contextTokens })
          expect(after.contextTokens).toBe(after.tokens + notInFileTokens)
        }
        const replayed = await read('replay', id)
        const { conversation, document } = await loadSession(path)
        document.close()
        const counter = createTokenCounter(findModel(conversation.model ?? ''))
        // A request contains everything before its answer. Unanswered messages may follow the
        // answer.
        const { messages } = conversation
        const answered = messages.findLastIndex(({ role }) => role === 'assistant')
        const start =
          messages.findLastIndex(({ role }, index) => index < answered && role !== 'assistant') + 1
        const rest = messages
          .slice(start)
          .reduce((sum, message) => sum + counter.countMessage(message).upper, 0)
        expect(replayed.notInFileTokens).toBe(notInFileTokens)
        expect(replayed.runs[0].requests.at(-1).tokensWithout + rest).toBe(contextTokens)
      },
    )

    test.each(recordings)('$name shows it in words, and on its page', async ({ name, place }) => {
      const { id } = install(name, place)
      const page = join(home, 'page.html')
      const { contextTokens, notInFileTokens } = await runJson(home, ['inspect', id])
      await runPrecis(home, ['inspect', id, '--html', page])
      const texts = [
        readFileSync(page, 'utf8'),
        (await runPrecis(home, ['inspect', id])).stdout,
        (await runPrecis(home, ['compress', id, '--budget', '30%', '--dry-run'])).stdout,
        (await runPrecis(home, ['clone', id, '--profile', 'routine', '--dry-run'])).stdout,
      ]
      for (const text of texts) {
        expect(text).toContain('not in the file: system prompt, tools')
        expect(text).toContain(renderCount(notInFileTokens))
        expect(text).toContain(renderCount(contextTokens))
      }
      expect((await runPrecis(home, ['replay', id])).stdout).toContain(
        `not in the file: system prompt, tools: ${renderCount(notInFileTokens)} tokens`,
      )
    })
  },
)
