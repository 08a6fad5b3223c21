/** A model that does what the last prompt says: a call of a tool, or a few words. */
import { readText } from '../../packages/core/src/conversation/message.ts'
import { requestFormats } from '../../packages/core/src/formats/request-formats.ts'
import { isJsonObject } from '../../packages/core/src/formats/shared/json.ts'
import type { FakeModel, FakeToolCall } from '../../test/fake-upstream/fake-model.ts'

export const scriptedModel: FakeModel = ({ protocol, body }) => {
  const { messages, tools } = requestFormats[protocol].parse(body)
  const last = messages.findLast(({ role }) => role !== 'system')
  const call = last?.role === 'user' && tools.length > 0 ? readCall(readText(last)) : undefined
  return call ? { toolCalls: [call] } : { text: 'It is a small project.' }
}

function readCall(text: string): FakeToolCall | undefined {
  const start = text.lastIndexOf('CALLTOOL:')
  const end = text.indexOf(':END', start)
  if (start < 0 || end < 0) return undefined
  const value: unknown = JSON.parse(text.slice(start + 'CALLTOOL:'.length, end))
  if (!isJsonObject(value) || typeof value.name !== 'string' || !isJsonObject(value.input))
    return undefined
  return { name: value.name, input: value.input }
}
