/**
 * Gemini CLI asks twice: for a snapshot of the history, then for a better one, with the answer
 * after the same history (observed with 0.61.0). Both requests have their own system instruction
 * and are not streamed.
 */
import { apis, type TextAnswer } from '@precis/core/apis'
import { asObject, type JsonObject } from '../../files/lines.ts'
import {
  asObjects,
  createFrame,
  readHeader,
  readOnlyText,
  readPathname,
} from '../shared/request-text.ts'
import type { AgentWire, CompactionRequest, WireRequest } from '../shared/wire.ts'
import { launch } from './launch.ts'

const SYSTEM_BEGINNING =
  'You are a specialized system component responsible for distilling chat history into a structured XML <state_snapshot>.'
const SYSTEM_END = '</state_snapshot>'
const FIRST_BEGINNINGS = [
  'Generate a new <state_snapshot> based on the provided history.',
  'A previous <state_snapshot> exists in the history. You MUST integrate ',
]
const FIRST_END =
  '\n\nFirst, reason in your scratchpad. Then, generate the updated <state_snapshot>.'
const SECOND_BEGINNING = 'Critically evaluate the <state_snapshot> you just generated.'
const SECOND_END = 'Otherwise, repeat the exact same <state_snapshot> again.'

// It searches for this tag to find an earlier snapshot.
const { wrapSummary, unwrapSummary } = createFrame('state_snapshot')

export const wire: AgentWire = {
  // Its requests name no session.
  readSession: () => undefined,
  marks: [
    'distilling chat history into a structured XML <state_snapshot>',
    'distilling chat history into a structured XML \\u003cstate_snapshot\\u003e',
  ],
  readCompaction,
  unwrapSummary,
  launch,
}

function readCompaction({ api, path, headers, body }: WireRequest): CompactionRequest | undefined {
  const pathname = readPathname(path)
  if (api !== 'gemini-contents' || !pathname.endsWith(':generateContent')) return undefined
  if (readHeader(headers, 'user-agent')?.startsWith('GeminiCLI') !== true) return undefined
  // With a login through Google, the API wraps the request in another.
  const inner = asObject(body.request)
  const found = readSnapshotRequest(inner ?? body)
  return found && inner ? { ...found, createAnswer: createInnerAnswer } : found
}

function readSnapshotRequest(body: JsonObject): CompactionRequest | undefined {
  const system = readOnlyText(asObject(body.systemInstruction)?.parts)
  if (
    !system?.startsWith(SYSTEM_BEGINNING) ||
    !system.endsWith(SYSTEM_END) ||
    body.tools !== undefined
  )
    return undefined
  const contents = asObjects(body.contents)
  const last = contents?.at(-1)
  if (!contents || last?.role !== 'user') return undefined
  const instruction = readOnlyText(last.parts) ?? ''
  if (instruction.startsWith(SECOND_BEGINNING) && instruction.endsWith(SECOND_END)) {
    const before = contents.at(-2)
    const repeated = before?.role === 'model' ? readOnlyText(before.parts) : undefined
    return repeated === undefined || contents.length < 3
      ? undefined
      : { messages: contents.slice(0, -2), repeated, wrapSummary }
  }
  const isFirst =
    FIRST_BEGINNINGS.some((text) => instruction.startsWith(text)) && instruction.endsWith(FIRST_END)
  return isFirst && contents.length > 1
    ? { messages: contents.slice(0, -1), wrapSummary }
    : undefined
}

function createInnerAnswer(answer: TextAnswer) {
  return { body: { response: apis['gemini-contents'].createAnswer(answer) }, events: [] }
}
