/**
 * `ModelMessage`s of the Vercel AI SDK 6: what its `convertToLanguageModelPrompt` and its approvals
 * refuse, and providers behind it.
 */
import {
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

export const aiSdk: ProviderRules = { name: 'ai-sdk', readPieces, judge }

const readMessages = (body: JsonObject): JsonObject[] => readList(body.messages ?? body.prompt)

const SIDES: Readonly<Record<string, Piece['side']>> = {
  user: 'user',
  tool: 'result',
  system: 'operator',
}

function readPieces(body: JsonObject): Piece[] {
  return readMessages(body).flatMap((record, message) =>
    readList(record.content).map(
      (value): Piece => ({
        message,
        side: SIDES[roleOf(record)] ?? 'model',
        type: typeOf(value),
        value,
      }),
    ),
  )
}

function judge(body: JsonObject): Violation[] {
  const sentence = new Sentence()
  const messages = readMessages(body)
  sentence.demand(messages.length > 0, 'no-messages', 'messages is empty')
  const calls = new Map<string, boolean>()
  const approvals = new Map<string, string>()
  const open = new Set<string>()
  messages.forEach(({ role, content }, at) => {
    if (role === 'user' || role === 'system') {
      // MissingToolResultsError
      for (const id of open)
        sentence.demand(false, 'call-without-result', `before messages.${at}: ${id}`)
      open.clear()
    }
    sentence.demand(
      readList(content).length > 0 && content !== '',
      'empty-content',
      `messages.${at} has no content`,
    )
    for (const part of readList(content)) {
      const id = readText(part, 'toolCallId') ?? ''
      const approvalId = readText(part, 'approvalId') ?? ''
      const place = `messages.${at}: ${typeOf(part)}`
      switch (typeOf(part)) {
        case 'tool-call':
          sentence.demand(!calls.has(id), 'duplicate-id', `${place} ${id}`)
          calls.set(id, part.providerExecuted === true)
          // What the provider runs may be answered in a later answer.
          if (part.providerExecuted !== true) open.add(id)
          break
        case 'tool-result':
          sentence.demand(calls.has(id), 'result-without-call', `${place} ${id}`)
          open.delete(id)
          break
        case 'tool-approval-request':
          // ToolCallNotFoundForApprovalError
          sentence.demand(calls.has(id), 'approval-without-call', `${place} ${id}`)
          approvals.set(approvalId, id)
          break
        case 'tool-approval-response':
          // InvalidToolApprovalError
          sentence.demand(
            approvals.has(approvalId),
            'approval-without-request',
            `${place} ${approvalId}`,
          )
          open.delete(approvals.get(approvalId) ?? '')
      }
    }
  })
  for (const id of open) sentence.demand(false, 'call-without-result', `at the end: ${id}`)
  return sentence.violations
}
