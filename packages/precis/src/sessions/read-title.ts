/** What a session is called, by the person or by its agent. */
import type { ByteSource } from '@precis/core/formats'
import type { Agent } from './agent-home.ts'
import { asObject, asText, type JsonObject, parseObject, readLines } from './lines.ts'

// Agents write a title when the session begins, when it is given, and again at the end for lists as this one.
const EDGE_BYTES = 1 << 16
// Longer lines are what was said and read, which is most of a session and need not be looked at.
const MOST_LINE_BYTES = 1 << 12

interface Title {
  readonly text: string
  /** What a person chose counts more than what a model made up. */
  readonly rank: number
}

interface TitleReader {
  /** One of them stands in every line with a title. */
  readonly fields: readonly string[]
  read(entry: JsonObject): Title | undefined
}

/** The newest title in the first and the last 64 KB; undefined where the agent keeps none in its sessions. */
export function readTitle(source: ByteSource, agent: Agent): string | undefined {
  const reader = READERS[agent]
  if (!reader) return undefined
  const { byteLength } = source
  const headEnd = Math.min(byteLength, EDGE_BYTES)
  let best: Title | undefined
  for (const [start, end] of [
    [0, headEnd],
    [Math.max(headEnd, byteLength - EDGE_BYTES), byteLength],
  ] as const) {
    for (const line of readLines(source, start, end)) {
      if (line.length > MOST_LINE_BYTES || !reader.fields.some((field) => line.includes(field))) continue
      const entry = parseObject(line)
      const title = entry && reader.read(entry)
      if (title && title.rank >= (best?.rank ?? 0)) best = title
    }
  }
  return best?.text
}

const READERS: Readonly<Partial<Record<Agent, TitleReader>>> = {
  'claude-code': {
    // The word alone stands in many lines; Claude Code puts no space between name and value.
    fields: ['"custom-title"', '"ai-title"', '"type":"summary"'],
    read: ({ type, customTitle, aiTitle, summary }) => {
      if (type === 'custom-title') return createTitle(customTitle, 3)
      if (type === 'ai-title') return createTitle(aiTitle, 2)
      return type === 'summary' ? createTitle(summary, 1) : undefined
    },
  },
  'gemini-cli': {
    fields: ['"summary"'],
    read: ({ summary, $set }) => createTitle(summary ?? asObject($set)?.summary),
  },
  pi: {
    fields: ['"session_info"'],
    read: ({ type, name }) => (type === 'session_info' ? createTitle(name) : undefined),
  },
  copilot: {
    fields: ['"customTitle"'],
    read: ({ customTitle, k, v }) => {
      const isSet = Array.isArray(k) && k.length === 1 && k[0] === 'customTitle'
      return createTitle(customTitle ?? (isSet ? v : asObject(v)?.customTitle))
    },
  },
}

function createTitle(value: unknown, rank = 1): Title | undefined {
  const text = asText(value)?.trim()
  return text ? { text, rank } : undefined
}
