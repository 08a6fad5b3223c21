/**
 * What one agent's history becomes as a session of another, held against the judge. It reads the
 * lines of the session itself.
 */
import {
  convertConversation,
  type FormatName,
  formats,
  serializeConverted,
} from '@precis/core/formats'
import { findLostWords } from './compare-bodies.ts'
import type { Fault, JudgedCase } from './judged-compression.ts'
import {
  isObject,
  type JsonObject,
  type Piece,
  type ProviderName,
  readList,
  UNFINISHED,
} from './provider.ts'
import { providers } from './providers.ts'

/** The lines of a session as the request that its agent makes of them. */
interface Target {
  readonly format: FormatName
  /** Undefined for sessions of which only the words are read. */
  readonly provider?: ProviderName
  readonly readBody: (lines: readonly JsonObject[]) => JsonObject
}

/** Qwen Code writes each result on a line of its own, and sends those of one answer together. */
function joinResults(contents: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = []
  const isResults = (content: JsonObject | undefined) =>
    readList(content?.parts).some((part) => 'functionResponse' in part)
  for (const content of contents) {
    const last = joined.at(-1)
    const isNext = isResults(content) && isResults(last)
    if (last && isNext)
      joined[joined.length - 1] = {
        ...last,
        parts: [...readList(last.parts), ...readList(content.parts)],
      }
    else joined.push(content)
  }
  return joined
}

const readAll = (lines: readonly JsonObject[]): JsonObject => ({ lines })

const TARGETS: readonly Target[] = [
  {
    format: 'claude-code',
    provider: 'anthropic-messages',
    readBody: (lines) => ({
      messages: lines.flatMap(({ type, message }) =>
        (type === 'user' || type === 'assistant') && isObject(message) ? [message] : [],
      ),
    }),
  },
  {
    format: 'codex',
    provider: 'openai-responses',
    readBody: (lines) => ({
      input: lines.flatMap(({ type, payload }) =>
        type === 'response_item' && isObject(payload) ? [payload] : [],
      ),
    }),
  },
  {
    format: 'qwen-code',
    provider: 'gemini-contents',
    readBody: (lines) => ({
      contents: joinResults(
        lines.flatMap(({ type, message }) =>
          type !== 'system' && isObject(message) ? [message] : [],
        ),
      ),
    }),
  },
  { format: 'gemini-cli', readBody: readAll },
  { format: 'pi', readBody: readAll },
  { format: 'copilot-cli', readBody: readAll },
]

const START = { workingDirectory: '/work/project', protocol: 'openai-chat' } as const

/** The session that `format` writes for a request, as lines. */
function convert({ rules, body }: Pick<JudgedCase, 'rules' | 'body'>, format: FormatName) {
  const target = formats[format]
  let ids = 0
  const createId = () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`
  const { conversation, losses } = convertConversation(formats[rules.name].parse(body), target)
  const output = serializeConverted(conversation, target, START, {
    sessionId: createId(),
    timestamp: '2026-06-07T08:09:10.000Z',
    title: 'a session',
    createId,
  })
  const pieces: unknown[] =
    typeof output === 'object' && Symbol.iterator in output && !(output instanceof Uint8Array)
      ? [...output]
      : [output]
  const text = pieces
    .map((piece) => (piece instanceof Uint8Array ? new TextDecoder().decode(piece) : String(piece)))
    .join('')
  const lines = text.split('\n').flatMap((line): JsonObject[] => {
    const value: unknown = line === '' ? undefined : JSON.parse(line)
    return isObject(value) ? [value] : []
  })
  return { lines, losses }
}

/** Converts a request into a session of every agent that is judged. */
export function judgeConversions(given: Pick<JudgedCase, 'rules' | 'body'>): Fault[] {
  const { rules, body } = given
  const original = JSON.stringify(body)
  const faults = TARGETS.flatMap(({ format, provider, readBody }) => {
    const { lines, losses } = convert(given, format)
    const after = readBody(lines)
    const broken = !provider
      ? []
      : providers[provider]
          .judge(after)
          .filter(({ rule }) => !UNFINISHED.has(rule))
          .map(({ rule, detail }) => ({ kind: `invalid, ${rule}`, detail }))
    // The agent that continues has a system prompt of its own. The losses name what went.
    const toldOf = (...kinds: readonly string[]) =>
      losses.reduce((sum, { kind, count }) => (kinds.includes(kind) ? sum + count : sum), 0)
    const words = findLostWords(rules.readPieces(body), after)
    const operators = words.filter(({ kind }) => kind === 'operator-lost')
    const isTold = operators.length <= toldOf('system-prompt', 'provider-block', 'host-message')
    const pieces = findLostPieces(rules.readPieces(body), after)
    const isCounted = pieces.length <= toldOf('provider-block', 'host-message', 'media', 'unpaired')
    const lost = [
      ...words.filter(({ kind }) => kind === 'user-lost'),
      ...(isTold ? [] : operators),
      ...(isCounted ? [] : pieces),
    ]
    return [...broken, ...lost].map(({ kind, detail }) => ({
      kind: `${rules.name} to ${format}: ${kind}`,
      detail,
    }))
  })
  if (JSON.stringify(body) !== original) faults.push({ kind: 'original changed', detail: '' })
  return faults
}

/**
 * What an agent or its provider did of which no word is left: reasoning has rules of its own, and a
 * compaction replaces what is before it.
 */
function findLostPieces(given: readonly Piece[], after: JsonObject): Fault[] {
  const json = JSON.stringify(after)
  const isLeft = (text: string) => json.includes(JSON.stringify(text).slice(1, -1))
  return given.flatMap(({ side, type, value }) => {
    if (side === 'user' || side === 'operator' || /thinking|reasoning/.test(type)) return []
    const said = readProse(value)
    if (said.length === 0 || said.some(isLeft)) return []
    return [{ kind: 'piece-lost', detail: `${type} ${said[0]?.slice(0, 60)}` }]
  })
}

/** The texts that only this piece has: scenes put their number into them. */
function readProse(value: unknown): string[] {
  if (typeof value === 'string') return /^[A-Z][a-z]+ \d+ looks at /.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(readProse)
}
