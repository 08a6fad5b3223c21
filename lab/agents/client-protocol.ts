/** The Agent Client Protocol (agentclientprotocol.com), as an agent's own program speaks it. */
import {
  type JsonObject,
  readMember,
  readString,
} from '../../packages/core/src/formats/shared/json.ts'
import { REFUSED } from './driver.ts'

export const say = (text: string) => ({ type: 'text', text })

/** Allows every call once, but not the one that is to be refused. `more` is for the agent alone. */
export function answerPermission(
  { id, method, params }: JsonObject,
  more: object = {},
): object | undefined {
  if (method !== 'session/request_permission') return undefined
  const wanted = JSON.stringify(params).includes(REFUSED) ? 'reject_once' : 'allow_once'
  const options = readMember(params, 'options')
  const option: unknown = Array.isArray(options)
    ? options.find((one: unknown) => readMember(one, 'kind') === wanted)
    : {}
  const outcome = { outcome: 'selected', optionId: readString(option, 'optionId') }
  return { jsonrpc: '2.0', id, result: { outcome, ...more } }
}
