/**
 * `ModelMessage`s of the Vercel AI SDK 6: what its `convertToLanguageModelPrompt` and its approvals
 * refuse, and providers behind it.
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
  sentence.demand(messages.length > 0, EMPTY, 'messages is empty')
  const asked = new Set<string>()
  const approvals = new Map<string, string>()
  const approved = new Set<string>()
  const ofProvider = new Set<string>()
  /** Calls without a result, and the message that each is in. */
  const open = new Map<string, number>()
  messages.forEach(({ role, content }, at) => {
    // MissingToolResultsError, or an error of the provider. What the provider runs may be answered
    // in a later answer.
    for (const id of role === 'tool' ? [] : open.keys()) {
      if (role === 'assistant' && ofProvider.has(id)) continue
      sentence.demand(false, 'call-without-result', `before messages.${at}: ${id}`)
      open.delete(id)
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
          sentence.demand(!open.has(id), 'duplicate-id', `${place} ${id}`)
          asked.add(id)
          open.set(id, at)
          if (part.providerExecuted === true) ofProvider.add(id)
          break
        case 'tool-result':
          sentence.demand(asked.has(id), 'result-without-call', `${place} ${id}`)
          sentence.demand(!asked.has(id) || open.has(id), 'duplicate-result', `${place} ${id}`)
          open.delete(id)
          break
        case 'tool-approval-request':
          // ToolCallNotFoundForApprovalError
          sentence.demand(asked.has(id), 'approval-without-call', `${place} ${id}`)
          approvals.set(approvalId, id)
          break
        case 'tool-approval-response':
          // InvalidToolApprovalError
          sentence.demand(
            approvals.has(approvalId),
            'approval-without-request',
            `${place} ${approvalId}`,
          )
          // The SDK runs it next.
          approved.add(approvals.get(approvalId) ?? '')
      }
    }
  })
  const newest = messages.findLastIndex(({ role }) => role !== 'tool')
  for (const [id, at] of open) {
    if (approved.has(id) || ofProvider.has(id)) continue
    sentence.demand(false, at === newest ? AWAITED : 'call-without-result', `at the end: ${id}`)
  }
  return sentence.violations
}
