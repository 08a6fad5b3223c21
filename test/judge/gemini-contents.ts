/**
 * Google's generateContent. Sources: ai.google.dev/gemini-api/docs (function-calling,
 * thought-signatures, tools) and its 400 errors.
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
  roleOf,
  Sentence,
  type Violation,
} from './provider.ts'

export const geminiContents: ProviderRules = { name: 'gemini-contents', readPieces, judge }

// A part has one member that says what it is, and others beside it.
const BESIDE = new Set([
  'thought',
  'thoughtSignature',
  'thought_signature',
  'videoMetadata',
  'partMetadata',
])

const kindOf = (part: JsonObject): string =>
  Object.keys(part).find((key) => !BESIDE.has(key)) ?? 'no kind'

const readMember = (part: JsonObject, camel: string, snake: string): JsonObject | undefined => {
  const member = part[camel] ?? part[snake]
  return isObject(member) ? member : undefined
}
const readCall = (part: JsonObject) => readMember(part, 'functionCall', 'function_call')
const readResponse = (part: JsonObject) => readMember(part, 'functionResponse', 'function_response')

const readParts = (content: JsonObject | undefined): JsonObject[] => readList(content?.parts)
const readCalls = (content: JsonObject | undefined): JsonObject[] =>
  readParts(content).map(readCall).filter(isObject)
const readResponses = (content: JsonObject | undefined): JsonObject[] =>
  readParts(content).map(readResponse).filter(isObject)

function readPieces(body: JsonObject): Piece[] {
  return readList(body.contents).flatMap((content, message) =>
    readParts(content).map((part): Piece => {
      const type = kindOf(part)
      const member = part[type]
      const value = isObject(member) ? member : { text: member }
      const side = content.role === 'model' ? 'model' : readResponse(part) ? 'result' : 'user'
      return { message, side, type, value }
    }),
  )
}

function judge(body: JsonObject): Violation[] {
  const sentence = new Sentence()
  const contents = readList(body.contents)
  sentence.demand(contents.length > 0, EMPTY, 'contents is empty')
  contents.forEach((content, at) => {
    const role = content.role === undefined ? 'user' : roleOf(content)
    sentence.demand(
      role === 'user' || role === 'model' || role === 'function',
      'role',
      `contents.${at}: ${role}`,
    )
    // "Unable to submit request because it must include at least one parts field"
    sentence.demand(readParts(content).length > 0, 'empty-content', `contents.${at} has no parts`)
    judgeCalls(contents, at, sentence)
    judgeServerTools(content, at, sentence)
  })
  if (/gemini-(?:[3-9]|\d\d)/.test(readText(body, 'model') ?? ''))
    judgeSignatures(contents, sentence)
  return sentence.violations
}

function judgeCalls(contents: readonly JsonObject[], at: number, sentence: Sentence): void {
  const calls = readCalls(contents[at])
  const responses = readResponses(contents[at])
  const before = contents[at - 1]
  if (calls.length > 0) {
    // "function call turn comes immediately after a user turn or after a function response turn"
    sentence.demand(
      before !== undefined && before.role !== 'model',
      'call-after-user',
      `contents.${at}`,
    )
    const isAnswered = readResponses(contents[at + 1]).length > 0
    sentence.demand(
      isAnswered,
      contents[at + 1] ? 'call-without-result' : AWAITED,
      `contents.${at}: ${calls.map(nameOf).join(', ')}`,
    )
  }
  if (responses.length === 0) return
  const asked = before?.role === 'model' ? readCalls(before) : []
  // "number of function response parts is equal to the number of function call parts of the
  // function call turn"
  const isEqual = asked.length === responses.length
  const isOpen =
    at + 1 === contents.length &&
    responses.length < asked.length &&
    responses.length === readParts(contents[at]).length
  sentence.demand(
    isEqual,
    isOpen ? AWAITED : 'count-of-results',
    `contents.${at}: ${responses.length} for ${asked.length} calls`,
  )
  for (const response of responses) {
    const isAsked = asked.some((call) => isAnswer(call, response))
    sentence.demand(isAsked, 'result-without-call', `contents.${at}: ${nameOf(response)}`)
  }
}

/** "If populated, the client [is] to … return the response with the matching id", else by name. */
const isAnswer = (call: JsonObject, response: JsonObject): boolean =>
  readText(call, 'id') !== undefined && readText(response, 'id') !== undefined
    ? call.id === response.id
    : call.name === response.name

const nameOf = (member: JsonObject): string =>
  readText(member, 'id') ?? readText(member, 'name') ?? 'no name'

/** What Google runs itself is a call and its response in the answers of the model. */
function judgeServerTools(content: JsonObject, at: number, sentence: Sentence): void {
  const open = new Set<string>()
  for (const part of readParts(content)) {
    const call = readMember(part, 'toolCall', 'tool_call')
    if (call) open.add(nameOf(call))
    const response = readMember(part, 'toolResponse', 'tool_response')
    if (response) {
      const isAsked = open.delete(nameOf(response))
      sentence.demand(
        isAsked,
        'server-result-without-call',
        `contents.${at}: toolResponse ${nameOf(response)}`,
      )
    }
  }
  for (const id of open)
    sentence.demand(false, 'server-call-without-result', `contents.${at}: toolCall ${id}`)
}

/**
 * "Function call is missing a thought_signature": the first call of each step of the turn that
 * runs.
 */
function judgeSignatures(contents: readonly JsonObject[], sentence: Sentence): void {
  const isTyped = (content: JsonObject) =>
    content.role !== 'model' && readParts(content).some((part) => readResponse(part) === undefined)
  const begin = contents.findLastIndex(isTyped)
  contents.forEach((content, at) => {
    const first = at > begin ? readParts(content).find((part) => readCall(part)) : undefined
    if (!first) return
    const signature = readText(first, 'thoughtSignature') ?? readText(first, 'thought_signature')
    sentence.demand(
      signature !== undefined,
      'call-unsigned',
      `contents.${at}: ${nameOf(readCall(first) ?? {})}`,
    )
  })
}
