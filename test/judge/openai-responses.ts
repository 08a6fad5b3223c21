/**
 * OpenAI's Responses API. Sources: its reference and guides (compaction, reasoning,
 * tools-local-shell, programmatic tool calling), the required members of the input items in the
 * types of the `openai` package, and the texts of its 400 errors.
 */
import {
  AWAITED,
  EMPTY,
  isObject,
  type JsonObject,
  type Piece,
  type ProviderRules,
  readList,
  readText,
  Sentence,
  typeOf,
  type Violation,
} from './provider.ts'

export const openaiResponses: ProviderRules = { name: 'openai-responses', readPieces, judge }

/** Calls that the host runs, and what answers them. */
const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  computer_call: 'computer_call_output',
  tool_search_call: 'tool_search_output',
  program: 'program_output',
}
const CALLS = new Map(Object.entries(OUTPUTS).map(([call, output]) => [output, call]))

/** What an output answers. One of a type that does not exist yet is named like those that do. */
const findCallOf = (type: string): string | undefined =>
  CALLS.get(type) ?? (type.endsWith('_output') ? type.slice(0, -'_output'.length) : undefined)

/**
 * Items that the API takes only with the id that it gave them. Encrypted reasoning may lack its
 * own, as Codex sends it. Searches too, although the reference demands it: two recorded sessions
 * have 8 of them without one, and 664 calls after these. The same holds for calls of a local shell,
 * whose id is optional in Codex.
 */
const NEEDS_ID = new Set([
  'file_search_call',
  'computer_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'item_reference',
  'program',
  'program_output',
])

/**
 * Items whose `call_id` ties a call to its output. A server answers a search for tools without one.
 */
const NEEDS_CALL_ID = new Set(
  Object.entries(OUTPUTS)
    .flat()
    .filter((type) => !type.startsWith('tool_search')),
)

export const readItems = (body: JsonObject): JsonObject[] =>
  typeof body.input === 'string'
    ? [{ type: 'message', role: 'user', content: body.input }]
    : readList(body.input)

/** A message may leave its type away. */
export const typeOfItem = (item: JsonObject): string =>
  readText(item, 'type') ?? (item.role === undefined ? 'item_reference' : 'message')

// An output of a type that does not exist yet is named like those that do.
const FROM_HOST = /_(?:output|response|reference|trigger)$/

function isOfModel(item: JsonObject): boolean {
  const type = typeOfItem(item)
  if (type === 'message') return item.role === 'assistant'
  return type === 'program_output' || !FROM_HOST.test(type)
}

function readPieces(body: JsonObject): Piece[] {
  return readItems(body).flatMap((item, message): Piece[] => {
    const type = typeOfItem(item)
    if (type !== 'message') {
      const side = item.role === 'developer' ? 'operator' : isOfModel(item) ? 'model' : 'result'
      return [{ message, side, type, value: item }]
    }
    const side = item.role === 'assistant' ? 'model' : item.role === 'user' ? 'user' : 'operator'
    const messageId = readText(item, 'id')
    return readList(item.content).map((value) => ({
      message,
      side,
      type: typeOf(value),
      value,
      messageId,
    }))
  })
}

function judge(body: JsonObject): Violation[] {
  const sentence = new Sentence()
  const items = readItems(body)
  const isStored = body.previous_response_id != null || body.conversation != null
  sentence.demand(items.length > 0 || isStored, EMPTY, 'input is empty')
  items.forEach((item, at) => {
    const type = typeOfItem(item)
    // "Missing required parameter: 'input[n].id'."
    sentence.demand(
      !NEEDS_ID.has(type) || readText(item, 'id') !== undefined,
      'id-required',
      `input.${at}: ${type}`,
    )
    // "Missing required parameter: 'input[n].call_id'."
    sentence.demand(
      !NEEDS_CALL_ID.has(type) || readText(item, 'call_id') !== undefined,
      'id-required',
      `input.${at}: ${type} without call_id`,
    )
    if (type === 'message') {
      const isEmpty = item.content === '' || readList(item.content).length === 0
      sentence.demand(!isEmpty, 'empty-content', `input.${at} has no content`)
    }
  })
  judgeCalls(items, isStored, sentence)
  judgeApprovals(items, isStored, sentence)
  judgeReasoning(items, sentence)
  return sentence.violations
}

/**
 * "No tool output found for function call …", "No tool call found for function call output with
 * call_id …"
 */
function judgeCalls(items: readonly JsonObject[], isStored: boolean, sentence: Sentence): void {
  const calls = new Map<string, number>()
  const answered = new Set<string>()
  const programs = new Set<string>()
  let hasReference = false
  items.forEach((item, at) => {
    const type = typeOfItem(item)
    const callId = readText(item, 'call_id')
    // What a reference stands for is known to the provider alone.
    if (type === 'item_reference') hasReference = true
    const isElsewhere = isStored || hasReference
    const caller = isObject(item.caller) ? readText(item.caller, 'caller_id') : undefined
    if (caller !== undefined) {
      sentence.demand(
        programs.has(caller) || isElsewhere,
        'caller-missing',
        `input.${at}: ${type} of program ${caller}`,
      )
    }
    if (callId === undefined) return
    if (type === 'program') programs.add(callId)
    const call = findCallOf(type)
    if (call !== undefined) {
      const key = `${call} ${callId}`
      sentence.demand(
        calls.has(key) || isElsewhere,
        'result-without-call',
        `input.${at}: ${type} ${callId}`,
      )
      sentence.demand(!answered.has(key), 'duplicate-result', `input.${at}: ${type} ${callId}`)
      answered.add(key)
    } else if (type in OUTPUTS || type.endsWith('_call')) {
      const key = `${type} ${callId}`
      const isOpen = calls.has(key) && !answered.has(key)
      sentence.demand(!isOpen, 'duplicate-id', `input.${at}: ${type} ${callId}`)
      calls.set(key, at)
      answered.delete(key)
    }
  })
  const newestMessage = items.findLastIndex((item) => typeOfItem(item) === 'message')
  const newestAnswer = findNewestAnswer(items)
  for (const [key, at] of calls) {
    if (answered.has(key)) continue
    // A program that runs still waits for the outputs of its calls.
    if (key.startsWith('program ') && at > newestMessage && at < newestAnswer.end) continue
    // Nobody waits any more for a call of a program that ended.
    const caller = items[at]?.caller
    const callerId = isObject(caller) ? readText(caller, 'caller_id') : undefined
    const isOpen = at >= newestAnswer.start && !answered.has(`program ${callerId}`)
    sentence.demand(false, isOpen ? AWAITED : 'call-without-result', `input.${at}: ${key}`)
  }
}

/** The last items of the model in a row, with nothing but outputs after them. */
function findNewestAnswer(items: readonly JsonObject[]): { start: number; end: number } {
  const isOutput = (item: JsonObject) =>
    findCallOf(typeOfItem(item)) !== undefined && !isOfModel(item)
  const end = items.findLastIndex((item) => !isOutput(item)) + 1
  // What a reference stands for may be a call of the same answer.
  const isOther = (item: JsonObject) => !isOfModel(item) && typeOfItem(item) !== 'item_reference'
  const start = items.slice(0, end).findLastIndex(isOther) + 1
  return { start, end }
}

function judgeApprovals(items: readonly JsonObject[], isStored: boolean, sentence: Sentence): void {
  const requests = new Set<string>()
  const named = new Set(items.flatMap((item) => readText(item, 'approval_request_id') ?? []))
  const newestWords = items.findLastIndex((item) => item.role === 'user')
  items.forEach((item, at) => {
    const id = readText(item, 'id')
    if (typeOfItem(item) !== 'mcp_approval_request' || id === undefined || named.has(id)) return
    // A decision is required input, like the output of a call (types of `openai` 7.57).
    const rule = at < newestWords ? 'request-without-approval' : AWAITED
    sentence.demand(false, rule, `input.${at}: ${id}`)
  })
  const open = new Set<string>()
  items.forEach((item, at) => {
    const id = readText(item, 'id')
    open.delete(readText(item, 'approval_request_id') ?? '')
    if (typeOfItem(item) !== 'mcp_approval_request' || id === undefined) return
    // "Duplicate item found with id …"
    sentence.demand(!open.has(id), 'duplicate-id', `input.${at}: ${id}`)
    open.add(id)
  })
  let isElsewhere = isStored
  items.forEach((item, at) => {
    const id = readText(item, 'id')
    if (typeOfItem(item) === 'mcp_approval_request' && id !== undefined) requests.add(id)
    isElsewhere ||= typeOfItem(item) === 'item_reference'
    const asked = readText(item, 'approval_request_id')
    if (asked === undefined || isElsewhere) return
    sentence.demand(
      requests.has(asked),
      'approval-without-request',
      `input.${at}: ${typeOfItem(item)} ${asked}`,
    )
  })
}

/** "Item 'rs_…' of type 'reasoning' was provided without its required following item." */
function judgeReasoning(items: readonly JsonObject[], sentence: Sentence): void {
  items.forEach((item, at) => {
    if (typeOfItem(item) !== 'reasoning') return
    const next = items[at + 1]
    const isFollowed = next !== undefined && isOfModel(next)
    sentence.demand(
      isFollowed,
      'reasoning-alone',
      `input.${at}: ${readText(item, 'id') ?? 'reasoning'}`,
    )
  })
}
