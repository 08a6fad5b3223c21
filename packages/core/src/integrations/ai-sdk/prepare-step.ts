import type { FollowedRequest, HostRequest } from '../../context/follow.ts'
import { readMember } from '../../formats/json/object.ts'
import { FollowedCalls } from '../followed-calls.ts'
import type { WrapOptions } from '../wrap-options.ts'
import { readModelUsage } from './model-usage.ts'

export interface PrepareStepOptions extends WrapOptions {
  /** What the steps send beside their messages: it counts, and the SDK does not tell it. */
  readonly system?: unknown
  readonly tools?: readonly object[]
}

/** What `generateText`, `streamText` and agents take as `prepareStep`. */
export type PrepareStep = <Message extends object>(step: {
  readonly messages: Message[]
  readonly model: unknown
  readonly steps: readonly object[]
}) => Promise<{ messages: Message[] } | undefined>

/**
 * Shortens the messages of each step of an agent loop when it is due. For models that cannot be wrapped: it sees
 * neither the answers that say a request was too long nor, unless given, system prompt and tools.
 */
export function precisPrepareStep({ system, tools, ...options }: PrepareStepOptions = {}): PrepareStep {
  const calls = new FollowedCalls('ai-sdk', options)
  // The SDK adds to one list of steps as long as a loop runs.
  const newest = new WeakMap<readonly object[], FollowedRequest>()
  const frame = { ...(system !== undefined && { system }), ...(tools && { tools }) }
  return async <Message extends object>({ messages, model, steps }: StepOf<Message>) => {
    const last = steps.at(-1)
    const provider = readName(model, 'provider')
    if (last) calls.recordUsage(newest.get(steps), () => readModelUsage(last, provider))
    const request: HostRequest | undefined = calls.admit({
      model: typeof model === 'string' ? model : readName(model, 'modelId'),
      messages,
      ...frame,
    })
    if (!request) return undefined
    const followed = await calls.send<FollowedRequest | undefined>(
      request,
      async (prepared) => prepared,
      async () => undefined,
    )
    if (!followed) return undefined
    newest.set(steps, followed)
    return followed.messages === messages ? undefined : { messages: followed.messages as Message[] }
  }
}

interface StepOf<Message extends object> {
  readonly messages: Message[]
  readonly model: unknown
  readonly steps: readonly object[]
}

function readName(model: unknown, key: 'modelId' | 'provider'): string {
  const name = readMember(model, key)
  return typeof name === 'string' ? name : ''
}
