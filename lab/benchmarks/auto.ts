import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  auto,
  type Conversation,
  compressConversation,
  findModel,
  type Message,
} from '@precis/core'
import { loadTokenCounter } from '@precis/core/tokens'
import { listFiles } from './counting-corpora.ts'
import { compare, measureCpuMs, type Row } from './measure.ts'

const MESSAGES = 4_000
const CHARACTERS = 5_800_000
const SESSIONS = 3
// Enough for the optimizer of V8 that nothing gets faster any more.
const WARM_UP_ROUNDS = 5
// The smallest one is 20,000 tokens, at which nearly all is dropped without a look.
const SHARES = [0.0133, 0.05, 0.1, 0.2, 0.5, 0.9]
const SMALL_SHARE = 0.02
// Counting itself is 1 of it. The rest is the up to four digests that are written and compared, and
// the search for secrets in all that a digest or a cleared output may quote.
const AIM = 1.5
const MOST_OVER_COUNTING = 8
const MOST_IF_SMALL = 2.5

/**
 * A whole compression over counting the same text once, at budgets that are shares of the session.
 * Each is made of source files that the vocabulary has not met.
 */
export async function measureAuto(): Promise<Row[]> {
  const files = readSourceFiles()
  const sessions = Array.from({ length: SESSIONS + 1 }, () => createSession(files))
  const [other, ...measured] = sessions
  // Both are compiled before they are measured.
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    for (const share of SHARES) await measureOnce(other!, share)
  const rows: Row[] = []
  for (const share of SHARES) {
    let counting = Number.POSITIVE_INFINITY
    let compressing = Number.POSITIVE_INFINITY
    for (const session of measured) {
      const times = await measureOnce(session, share)
      counting = Math.min(counting, times.counting)
      compressing = Math.min(compressing, times.compressing)
    }
    rows.push(
      compare(
        `counting and compressing by auto with digest to ${+(share * 100).toFixed(1)} %, ${MESSAGES} messages of ${CHARACTERS / 1e6} million characters, over counting them once with the whole vocabulary (${counting.toFixed(0)} ms), aim × ${AIM}`,
        (counting + compressing) / counting,
        share < SMALL_SHARE ? MOST_IF_SMALL : MOST_OVER_COUNTING,
      ),
    )
  }
  return rows
}

/** The messages are copied: none has been counted or read before. */
async function measureOnce(session: Conversation, share: number) {
  const copy = structuredClone(session)
  const counter = await loadTokenCounter(findModel('gpt-5'))
  let tokens = 0
  const counting = await time(() => {
    tokens = counter.countConversation(copy).upper
  })
  const budgetTokens = Math.floor(tokens * share)
  const compressing = await time(async () => {
    const { outcome } = await compressConversation(copy, { strategy: auto, counter, budgetTokens })
    if (outcome.type !== 'compressed') throw new Error(`auto: ${outcome.type}`)
  })
  return { counting, compressing }
}

async function time(task: () => unknown): Promise<number> {
  const started = process.cpuUsage()
  await task()
  return measureCpuMs(started)
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
