/**
 * A session as what an agent saw and did, in order: the shape in which its future is searched for
 * what it needed.
 */
import { readFileSync } from 'node:fs'
import type { Conversation, Message, Part } from '@precis/core'
import { isUserRequest, renderPart } from '@precis/core/conversation'
import { pathKey, relativePath } from '../../packages/core/src/actions/paths.ts'
import { isHostSummary } from '../../packages/core/src/conversation/injected-text.ts'
import { isSummary } from '../../packages/core/src/conversation/summary-message.ts'
import { scanEntities } from '../../packages/core/src/facts/entities.ts'

type StepKind = 'user' | 'meta' | 'words' | 'call' | 'result' | 'summary'

/** One part of one message. */
export interface Step {
  readonly kind: StepKind
  readonly text: string
  readonly input?: unknown
  readonly name?: string
  /** Position of its message. */
  readonly message: number
  readonly entities: ReadonlySet<string>
}

export function readSteps(conversation: Conversation): Step[] {
  const { workingDirectory } = conversation
  return conversation.messages.flatMap((message, index) =>
    message.parts.flatMap((part): Step[] => {
      const kind = kindOf(message, part)
      const text = kind === undefined ? '' : renderStep(part)
      if (kind === undefined || text.trim() === '') return []
      const call =
        part.type === 'tool-call' ? { input: readInput(part.input), name: part.name } : {}
      return [
        { kind, text, message: index, entities: readEntities(text, workingDirectory), ...call },
      ]
    }),
  )
}

function kindOf(message: Message, part: Part): StepKind | undefined {
  if (part.type === 'tool-call') return 'call'
  if (part.type === 'tool-result') return 'result'
  if (part.type !== 'text' || message.role === 'system') return undefined
  if (isSummary(message) || isHostSummary(part.text)) return 'summary'
  if (message.role === 'assistant') return 'words'
  return isUserRequest(message) ? 'user' : 'meta'
}

/** The text of a part; of a call only the values of its arguments. */
export function renderStep(part: Part): string {
  return part.type === 'tool-call' ? renderValues(readInput(part.input)) : renderPart(part)
}

function readInput(input: unknown): unknown {
  if (typeof input !== 'string' || !input.startsWith('{')) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

// Arguments that only steer a tool.
const STEERING = new Set(
  'timeout limit offset head_limit replace_all output_mode run_in_background status activeForm yield_time_ms max_output_tokens session_id subagent_type multiline'.split(
    ' ',
  ),
)

function renderValues(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(renderValues).join('\n')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([key]) => !STEERING.has(key))
    .map(([, inner]) => renderValues(inner))
    .join('\n')
}

function readEntities(text: string, workingDirectory: string | undefined): Set<string> {
  const entities = new Set<string>()
  scanEntities(text, (kind, name) => {
    entities.add(kind === 'path' ? pathKey(relativePath(name, workingDirectory)) : name)
  })
  return entities
}

/** The lines of a session file. */
export function readRows(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((row) => row.trim() !== '')
}
