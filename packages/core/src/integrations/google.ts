import { readObjects, readTokens } from '../apis/api.ts'
import { readUsage } from '../apis/gemini-contents.ts'
import type { FollowedRequest, HostRequest } from '../following/follower.ts'
import { type JsonObject, readMember, toObject } from '../formats/shared/json.ts'
import { assertClient } from './assert-client.ts'
import {
  asSignal,
  classOf,
  createUnreadable,
  type FollowedCalls,
  followCalls,
  isStream,
  openConversation,
  type WrapOptions,
  type Wrapped,
} from './followed-calls.ts'

export type {
  AskedRequest,
  ClientConversation,
  RequestSettings,
  WrapOptions,
  Wrapped,
} from './followed-calls.ts'

/** A client whose resources are made from a shared object, like `GoogleGenAI`. */
interface GoogleClient {
  readonly models: object
  readonly chats: object
}

type Generate = (params: JsonObject) => Promise<unknown>

/**
 * Wraps a `GoogleGenAI` of the package `@google/genai`. Requests of its `models` and `chats`,
 * streamed or not, always fit the window of their model. The given client stays unchanged. Throws
 * `TypeError` for any other client.
 */
export function wrapGoogle<Client extends GoogleClient>(
  client: Client,
  options: WrapOptions = {},
): Wrapped<Client> {
  assertClient(client, 'wrapGoogle')
  return wrapWith(client, followCalls('gemini-contents', options))
}

function wrapWith<Client extends GoogleClient>(
  client: Client,
  calls: FollowedCalls,
): Wrapped<Client> {
  const shared: unknown = Reflect.get(client.models, 'apiClient')
  const models: object = Reflect.construct(classOf(client.models), [shared])
  // Function calls that the client runs automatically use these methods, not the public ones.
  for (const name of ['generateContentInternal', 'generateContentStreamInternal'])
    replaceMethod(models, name, calls)
  // A method that another library has put instead of the client's own is called as it is.
  for (const name of ['generateContent', 'generateContentStream']) {
    const given: unknown = Reflect.get(client.models, name)
    if (typeof given === 'function' && String(given) !== String(Reflect.get(models, name)))
      replaceMethod(models, name, calls, given.bind(client.models))
  }
  const chats: object = Reflect.construct(classOf(client.chats), [models, shared])
  return Object.create(client, {
    // A proxy of another library may return another value, if the member can be changed.
    models: { value: models, enumerable: true, configurable: true, writable: true },
    chats: { value: chats, enumerable: true, configurable: true, writable: true },
    conversation: {
      value: (key: string) => openConversation(key, [calls], wrapWith(client, calls.withKey(key))),
    },
  })
}

function replaceMethod(
  models: object,
  name: string,
  calls: FollowedCalls,
  method: unknown = Reflect.get(models, name),
): void {
  if (typeof method !== 'function') {
    throw new TypeError(
      `Wrapping a client with wrapGoogle: its models have no ${name}. Give a GoogleGenAI of @google/genai 2 or 3.`,
    )
  }
  const generate: Generate = (params) => method.call(models, params)
  Object.defineProperty(models, name, {
    value: (params: JsonObject) => followCall(generate, params, calls),
  })
}

async function followCall(
  generate: Generate,
  params: JsonObject,
  calls: FollowedCalls,
): Promise<unknown> {
  const request = calls.admit(() => readRequest(params), params)
  if (!request) return generate(params)
  const signal = asSignal(readMember(readMember(params, 'config'), 'abortSignal'))
  let sent: FollowedRequest | undefined
  const answer = await calls.send(
    request,
    (followed) => {
      sent = followed
      return generate(
        followed.messages === request.messages
          ? params
          : { ...params, contents: followed.messages },
      )
    },
    async () => {
      // As `fetch` rejects. The oldest clients ignore a signal that is already aborted.
      signal?.throwIfAborted()
      return generate(params)
    },
    signal,
  )
  if (isStream(answer))
    return watchChunks(answer, (chunk) => calls.recordUsage(sent, () => readUsage(chunk)))
  calls.recordUsage(sent, () => readUsage(answer))
  return answer
}

async function* watchChunks(chunks: AsyncIterable<unknown>, onChunk: (chunk: unknown) => void) {
  for await (const chunk of chunks) {
    onChunk(chunk)
    yield chunk
  }
}

/**
 * `contents` may also be a text, a part or a list of parts: one message that cannot be shortened.
 * Throws `TypeError` for anything else.
 */
function readRequest(params: JsonObject): HostRequest | undefined {
  const { model, contents, config } = toObject(params)
  const isKnown =
    typeof contents === 'string' || (typeof contents === 'object' && contents !== null)
  if (!isKnown) throw createUnreadable('generateContent', 'contents', contents)
  if (typeof model !== 'string') throw createUnreadable('generateContent', 'model', model)
  const messages = readObjects(contents)
  if (!messages?.every((content) => Array.isArray(readMember(content, 'parts')))) return undefined
  const system = readMember(config, 'systemInstruction')
  const tools = readObjects(readMember(config, 'tools'))
  const answerTokens = readTokens(readMember(config, 'maxOutputTokens'))
  return {
    model: model.slice(model.lastIndexOf('/') + 1),
    messages,
    system,
    tools,
    answerTokens: answerTokens || undefined,
  }
}
