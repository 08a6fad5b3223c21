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
import { isObject, type JsonObject, type ProviderName, UNFINISHED } from './provider.ts'
import { providers } from './providers.ts'

/** The lines of a session as the request that its agent makes of them. */
interface Target {
  readonly format: FormatName
  readonly provider: ProviderName
  readonly readBody: (lines: readonly JsonObject[]) => JsonObject
}

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
    const broken = providers[provider]
      .judge(after)
      .filter(({ rule }) => !UNFINISHED.has(rule))
      .map(({ rule, detail }) => ({ kind: `invalid, ${rule}`, detail }))
    // The agent that continues has a system prompt of its own. The losses name what went.
    const isTold = losses.some(({ kind }) => kind === 'system-prompt')
    const lost = findLostWords(rules.readPieces(body), after).filter(
      ({ kind }) => kind === 'user-lost' || !isTold,
    )
    return [...broken, ...lost].map(({ kind, detail }) => ({
      kind: `${rules.name} to ${format}: ${kind}`,
      detail,
    }))
  })
  if (JSON.stringify(body) !== original) faults.push({ kind: 'original changed', detail: '' })
  return faults
}
