import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  auto,
  type Conversation,
  compressConversation,
  createTokenCounter,
  findModel,
  type Message,
} from '@precis/core'
import { listFiles } from './counting-corpora.ts'
import { createHistory } from './histories.ts'
import type { Row } from './measure.ts'

const MESSAGES = 4_000
const CHARACTERS = 5_800_000
const ROUNDS = 5
// Enough for the optimizer of V8 that nothing gets faster any more.
const WARM_UP_ROUNDS = 15
const BUDGET_TOKENS = 20_000

/**
 * A whole compression against counting as much text once. Each round counts one history and
 * compresses another, both made of source files that were not looked at before, so that neither has
 * been counted already.
 */
export async function measureAuto(): Promise<Row[]> {
  // Both are compiled before they are measured, on text of another kind.
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await compressConversation(createHistory(MESSAGES, 1_300), {
      strategy: auto,
      budgetTokens: BUDGET_TOKENS,
    })
  }
  const files = readSourceFiles()
  let counting = Number.POSITIVE_INFINITY
  let compressing = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const counted = createSession(files)
    counting = Math.min(
      counting,
      await time(() => createTokenCounter(findModel('gpt-5')).countConversation(counted)),
    )
    const session = createSession(files)
    compressing = Math.min(
      compressing,
      await time(async () => {
        const { outcome } = await compressConversation(session, {
          strategy: auto,
          budgetTokens: BUDGET_TOKENS,
        })
        if (outcome.type !== 'compressed') throw new Error(`auto: ${outcome.type}`)
      }),
    )
  }
  const ratio = compressing / counting
  return [
    {
      name: `auto with digest, ${MESSAGES} messages of ${CHARACTERS / 1e6} million characters: over counting as much (${counting.toFixed(0)} ms)`,
      value: `× ${ratio.toFixed(2)}`,
      bar: '≤ × 1.5',
      passed: ratio <= 1.5,
    },
  ]
}

async function time(task: () => unknown): Promise<number> {
  const started = performance.now()
  await task()
  return performance.now() - started
}

// One bundle of a megabyte would be all that a history holds.
const LONGEST_FILE = 1_000_000

interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Source files of the dependencies. */
function* readSourceFiles(): Generator<SourceFile, void> {
  const folder = fileURLToPath(new URL('../../node_modules', import.meta.url))
  for (const path of listFiles(folder)) {
    if (
      !['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.md', '.json'].includes(extname(path)) ||
      /tokenizer|tiktoken|@precis|\.min\./.test(path)
    )
      continue
    const text = readFileSync(join(folder, path), 'utf8')
    if (text.length >= 2 * CHARACTERS_PER_ROUND) yield { path, text: text.slice(0, LONGEST_FILE) }
  }
}

const CHARACTERS_PER_ROUND = Math.floor((2 * CHARACTERS) / MESSAGES)

/** A request now and then, and between them files that are read, with a few words about each. */
function createSession(files: Iterator<SourceFile, void>): Conversation {
  const messages: Message[] = []
  let file = take(files)
  let at = 0
  while (messages.length < MESSAGES) {
    if (messages.length % 40 === 0) {
      const text = `Please look at ${file.path} and tell me what it is for. Never change it.`
      messages.push({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] })
    }
    // The last piece of a file may be short; without it every result is as long as the others.
    if (at + CHARACTERS_PER_ROUND > file.text.length) {
      file = take(files)
      at = 0
    }
    const callId = `call_${messages.length}`
    const input = { file_path: `/work/project/${file.path}`, offset: at }
    const output = [{ type: 'text' as const, text: file.text.slice(at, at + CHARACTERS_PER_ROUND) }]
    messages.push(
      {
        role: 'assistant',
        origin: 'agent',
        parts: [
          {
            type: 'text',
            text: `I read ${file.path} from character ${at} on, because the import leads there.`,
          },
          { type: 'tool-call', callId, name: 'Read', input },
        ],
      },
      {
        role: 'tool',
        origin: 'environment',
        parts: [{ type: 'tool-result', callId, output, isError: false }],
      },
    )
    at += CHARACTERS_PER_ROUND
  }
  return {
    protocol: 'anthropic-messages',
    messages,
    tools: [],
    model: 'gpt-5',
    workingDirectory: '/work/project',
  }
}

function take(files: Iterator<SourceFile, void>): SourceFile {
  const next = files.next()
  if (next.done)
    throw new Error('There are too few source files below node_modules to measure with.')
  return next.value
}
