/**
 * OpenAI's Chat Completions. Source: platform.openai.com/docs/api-reference/chat and the texts of
 * its 400 errors.
 */
import {
  AWAITED,
  EMPTY,
  type JsonObject,
  type Piece,
  type ProviderRules,
  readList,
  readText,
  roleOf,
  Sentence,
  typeOf,
  type Violation,
} from './provider.ts'

export const openaiChat: ProviderRules = { name: 'openai-chat', readPieces, judge }

const SIDES: Readonly<Record<string, Piece['side']>> = {
  user: 'user',
  assistant: 'model',
  tool: 'result',
  function: 'result',
  system: 'operator',
  developer: 'operator',
}

function readPieces(body: JsonObject): Piece[] {
  return readList(body.messages).flatMap((record, message) => {
    const side = SIDES[roleOf(record)] ?? 'user'
    if (side === 'result') return [{ message, side, type: 'tool', value: record }]
    const content = readList(record.content).map(
      (value): Piece => ({ message, side, type: typeOf(value), value }),
    )
    const calls = readList(record.tool_calls).map(
      (value): Piece => ({ message, side, type: 'tool_call', value }),
    )
    return [...content, ...calls]
  })
}

function judge(body: JsonObject): Violation[] {
  const sentence = new Sentence()
  const messages = readList(body.messages)
  sentence.demand(messages.length > 0, EMPTY, 'messages is empty')
  let open = new Set<string>()
  let at = 0
  const end = (rule = 'call-without-result') => {
    // "An assistant message with 'tool_calls' must be followed by tool messages responding to each
    // 'tool_call_id'."
    for (const id of open) sentence.demand(false, rule, `before messages.${at}: ${id}`)
    open = new Set()
  }
  for (const message of messages) {
    const role = roleOf(message)
    sentence.demand(role in SIDES, 'role', `messages.${at}: ${role}`)
    if (role === 'tool') {
      const id = readText(message, 'tool_call_id')
      // "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"
      sentence.demand(
        id !== undefined && open.delete(id),
        'result-without-call',
        `messages.${at}: ${id}`,
      )
    } else {
      end()
      if (role === 'assistant') judgeAnswer(message, at, sentence)
    }
    for (const call of readList(message.tool_calls)) {
      const id = readText(call, 'id') ?? ''
      // "Missing required parameter: 'messages[1].tool_calls[0].id'."
      sentence.demand(id !== '', 'id-required', `messages.${at}: a call without an id`)
      sentence.demand(!open.has(id), 'duplicate-id', `messages.${at}: ${id} twice`)
      open.add(id)
    }
    at++
  }
  end(AWAITED)
  return sentence.violations
}

/** "Assistant message must have either content or tool_calls" */
function judgeAnswer(message: JsonObject, at: number, sentence: Sentence): void {
  const hasContent = readList(message.content).some(
    (part) => typeOf(part) !== 'text' || readText(part, 'text'),
  )
  const isSaid =
    hasContent ||
    readList(message.tool_calls).length > 0 ||
    message.refusal != null ||
    message.audio != null
  sentence.demand(
    isSaid || message.function_call != null,
    'empty-content',
    `messages.${at} says and calls nothing`,
  )
}
