/**
 * What a real agent still sends after three compactions of its own, and after three that precis
 * answered (`precis wrap`). A script plays the model. For summaries it is either a model that
 * forgets, or a careful one: `digest` on exactly what the agent sent.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Message } from '@precis/core'
import { createSummaryMessage } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { readMember } from '../../packages/core/src/formats/shared/json.ts'
import { agents } from '../../packages/precis/src/agents/index.ts'
import type { FakeRequest } from '../../test/fake-upstream/fake-model.ts'
import {
  type ReceivedRequest,
  startFakeUpstream,
} from '../../test/fake-upstream/start-fake-upstream.ts'
import { SUMMARY_SIZE, writeCarefulSummary } from './careful-summary.ts'

export const WRITERS = ['a model that forgets', 'a careful model', 'precis'] as const
type Writer = (typeof WRITERS)[number]

export interface Survival {
  readonly agent: string
  readonly writer: Writer
  /** Messages of the user, and decisions in the agent's answers, that stand word for word. */
  readonly words: number
  readonly decisions: number
  /** Characters / 4 of the messages that the agent sends, with its own reminders. */
  readonly size: number
  /** Compactions that the model was asked for. */
  readonly asked: number
}

const FIRST = 'Never touch generated files. Tell me about this folder.'
const LAST = 'And at last?'
const ROUNDS = [1, 2, 3]
const ask = (round: number) =>
  `Go on with part ${round}: it may take ${round * 137 + 1000} requests a minute.`
const decide = (round: number) =>
  `I decided that src/part-${round}.ts keeps the token bucket, because the window counter drifted by ${round * 311 + 1024} ms.`
export const SAID = [FIRST, ...ROUNDS.map(ask)]
export const DECIDED = [0, ...ROUNDS].map(decide)

interface Way {
  /** Writes its settings. `upstream` is empty if precis tells it the address. */
  readonly prepare?: (home: string, upstream: string) => void
  readonly environment: (upstream: string) => Readonly<Record<string, string>>
  /** Tokens that the model reports, which make some agents compact. */
  readonly reportedTokens: (raw: string) => number
  readonly upstream: string
  /** The words of one start: a prompt that begins or continues the session. */
  readonly start: (prompt: string, isFirst: boolean, upstream: string) => readonly string[]
  /** A prompt that compacts. Without it the agent does so by itself with each prompt. */
  readonly compact?: string
}

const WAYS: Readonly<Record<string, Way>> = {
  claude: {
    upstream: 'anthropic',
    reportedTokens: () => 20_000,
    environment: (url) => ({
      ...(url && { ANTHROPIC_BASE_URL: url }),
      ANTHROPIC_API_KEY: 'sk-ant-api03-x',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_AUTO_COMPACT: '1',
    }),
    start: (prompt, isFirst) => [
      '--dangerously-skip-permissions',
      ...(isFirst ? [] : ['--continue']),
      '-p',
      prompt,
    ],
    compact: '/compact',
  },
  codex: {
    upstream: 'openai',
    reportedTokens: () => 60_000,
    environment: () => ({ CODEX_API_KEY: 'sk-x', OPENAI_API_KEY: 'sk-x' }),
    start: (prompt, isFirst, url) => [
      ...(url ? listProvider(url) : []),
      '-c',
      'model_auto_compact_token_limit=50000',
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...(isFirst ? [] : ['resume', '--last']),
      prompt,
    ],
  },
  opencode: {
    upstream: 'anthropic',
    // It compacts right after an answer that reports more than its window has.
    reportedTokens: (raw) => (ROUNDS.some((round) => isNewest(raw, ask(round))) ? 60_000 : 2_000),
    prepare(home, url) {
      const models = { 'claude-sonnet-4-5': { limit: { context: 64_000, output: 8_000 } } }
      const provider = { anthropic: { models, ...(url && { options: { baseURL: `${url}/v1` } }) } }
      const settings = { autoupdate: false, share: 'disabled', provider }
      mkdirSync(join(home, '.config/opencode'), { recursive: true })
      writeFileSync(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings))
    },
    environment: () => ({
      ANTHROPIC_API_KEY: 'sk-ant-api03-x',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    start: (prompt, isFirst) => [
      'run',
      '-m',
      'anthropic/claude-sonnet-4-5',
      ...(isFirst ? [] : ['--continue']),
      prompt,
    ],
  },
  gemini: {
    upstream: 'google',
    reportedTokens: (raw) => Math.ceil(raw.length / BYTES_PER_TOKEN),
    prepare(home) {
      const settings = {
        general: { enableAutoUpdate: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
        // A thousandth of its window of a million tokens is less than any of the messages here.
        model: { compressionThreshold: 0.0005 },
      }
      const trusted = { [join(home, 'project')]: 'TRUST_FOLDER' }
      mkdirSync(join(home, '.gemini'))
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
      writeFileSync(join(home, '.gemini/trustedFolders.json'), JSON.stringify(trusted))
    },
    environment: (url) => ({
      ...(url && { GOOGLE_GEMINI_BASE_URL: url }),
      GEMINI_API_KEY: 'AIza-x',
    }),
    start: (prompt, isFirst) => [
      '--model',
      'gemini-2.5-pro',
      '--yolo',
      ...(isFirst ? [] : ['--resume', 'latest']),
      '-p',
      prompt,
    ],
  },
}

/** Whether the newest message of the user in a request has this text. */
function isNewest(raw: string, text: string): boolean {
  const { messages } = findFormat(raw)
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  const said = list.findLast((message) => readMember(message, 'role') === 'user')
  return JSON.stringify(said ?? '').includes(text)
}

/** Codex asks its own provider for a compaction at another address. */
const listProvider = (url: string): string[] =>
  [
    'model_provider="fake"',
    'model_providers.fake.name="fake"',
    `model_providers.fake.base_url="${url}/v1"`,
    'model_providers.fake.env_key="OPENAI_API_KEY"',
    'model_providers.fake.wire_api="responses"',
  ].flatMap((line) => ['-c', line])

const PRECIS = fileURLToPath(new URL('../../packages/precis/bin/precis.js', import.meta.url))
const MOST_MS = 240_000

/** `bin` is the folder of the agents' programs. */
export async function* compactThrice(bin: string): AsyncGenerator<Survival> {
  for (const agent of Object.keys(WAYS))
    for (const writer of WRITERS) yield await runAgent(bin, agent, writer)
}

async function runAgent(bin: string, agent: string, writer: Writer): Promise<Survival> {
  const way = WAYS[agent]
  if (!way) throw new Error(`Comparing: there is no way to start "${agent}".`)
  const home = mkdtempSync(join(tmpdir(), 'precis-compactions-'))
  const directory = join(home, 'project')
  mkdirSync(directory)
  writeFileSync(join(home, '.claude.json'), '{"hasCompletedOnboarding":true}')
  let asked = 0
  const upstream = await startFakeUpstream(
    async (request) => {
      const received = upstream.requests.findLast(({ raw }) => raw === request.raw)
      const compaction = readCompaction(request, received?.headers ?? {})
      if (!compaction) return { text: answer(request) }
      asked++
      const latest = upstream.requests.findLast(offersTools)
      const summarized =
        compaction.messages === 'session' && latest ? joinAnswer(request, latest) : request
      // Gemini CLI asks for a better snapshot, or for the same one again.
      if (compaction.repeated !== undefined) return { text: compaction.repeated }
      const text = writer === 'a careful model' ? await summarize(summarized) : FORGOTTEN
      return { text: compaction.wrapSummary(text) }
    },
    { countTokens: way.reportedTokens },
  )
  const isPrecis = writer === 'precis'
  const url = isPrecis ? '' : upstream.url
  way.prepare?.(home, url)
  const options = {
    cwd: directory,
    timeout: MOST_MS,
    maxBuffer: 1e8,
    env: {
      HOME: home,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      TERM: 'dumb',
      IS_SANDBOX: '1',
      ...way.environment(url),
    },
  }
  const wrapped = [PRECIS, 'wrap', agent, `--upstream-${way.upstream}=${upstream.url}`]
  if (way.upstream === 'openai') wrapped[3] += '/v1'
  const say = async (prompt: string) => {
    const words = way.start(prompt, prompt === FIRST, url)
    const running = isPrecis
      ? promisify(execFile)(process.execPath, [...wrapped, '--', ...words], options)
      : promisify(execFile)(agent, [...words], options)
    running.child.stdin?.end()
    await running
  }
  try {
    await say(FIRST)
    for (const round of ROUNDS) {
      await say(ask(round))
      if (way.compact) await say(way.compact)
    }
    await say(LAST)
    const raw = upstream.requests.findLast(({ raw }) => raw.includes(LAST))?.raw ?? ''
    const { messages } = findFormat(raw)
    const count = (texts: readonly string[]) => texts.filter((text) => raw.includes(text)).length
    return {
      agent,
      writer,
      words: count(SAID),
      decisions: count(DECIDED),
      size: Math.round(JSON.stringify(messages).length / BYTES_PER_TOKEN),
      asked,
    }
  } finally {
    await upstream.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const BYTES_PER_TOKEN = 4

function findFormat(raw: string): { readonly messages: unknown } {
  const { messages, input, contents } = JSON.parse(raw || '{}')
  return { messages: messages ?? input ?? contents ?? [] }
}

const readCompaction = (
  { protocol, url, body }: FakeRequest,
  headers: ReceivedRequest['headers'],
) =>
  agents.flatMap(
    ({ wire }) => wire?.readCompaction({ api: protocol, path: url, headers, body }) ?? [],
  )[0]

/**
 * OpenCode asks for a summary of one text. The same as messages: the request before, its answer, and
 * the question.
 */
function joinAnswer(request: FakeRequest, { raw }: ReceivedRequest): FakeRequest {
  const { messages } = findFormat(raw)
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  const answered = { role: 'assistant', content: answer({ ...request, raw }) }
  const asked = { role: 'user', content: 'Summarize it.' }
  return { ...request, body: { ...JSON.parse(raw), messages: [...list, answered, asked] } }
}

const offersTools = ({ raw }: ReceivedRequest): boolean => raw.includes('"tools":')

const FORGOTTEN = 'They worked on it.'

/** A decision among lines of no weight. */
function answer({ raw }: FakeRequest): string {
  const round = ROUNDS.findLast((one) => raw.includes(ask(one))) ?? 0
  const lines = Array.from({ length: 80 }, (_, line) => `I looked at line ${line} of it.`)
  return [...lines.slice(0, 40), decide(round), ...lines.slice(40)].join('\n')
}

async function summarize({ protocol, body }: FakeRequest): Promise<string> {
  const conversation = formats[protocol].parse(body)
  // The last message asks for the summary.
  const span = conversation.messages.slice(0, -1).flatMap(showSummary)
  return await writeCarefulSummary(conversation, span, [], SUMMARY_SIZE)
}

/** Gemini CLI puts its snapshot into the message of a reminder. A model reads it there. */
function showSummary(message: Message): Message[] {
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  const summaries = texts.flatMap((text) =>
    agents.flatMap(({ wire }) => wire?.unwrapSummary(text) ?? []).slice(0, 1),
  )
  return [message, ...summaries.map((text) => createSummaryMessage(text))]
}

const NAMES: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  gemini: 'Gemini CLI',
}

export function renderSurvivals(found: readonly Survival[]): string {
  const rows = found.map(
    ({ agent, writer, words, decisions, size, asked }) =>
      `| ${NAMES[agent] ?? agent} | ${writer} | ${words} of ${SAID.length} | ${decisions} of ${DECIDED.length} | ${size.toLocaleString('en-US')} | ${asked} |`,
  )
  return [
    '| agent | summary by | your messages | decisions of the agent | tokens | requests for summaries |',
    '|---|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n')
}
