/** What providers leave in `providerOptions` of a part to know it by later. */
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'

// Anthropic and Bedrock sign; OpenAI and xAI encrypt; Google signs parts of any kind.
const SIGNATURES = ['signature', 'redactedData', 'reasoningEncryptedContent', 'thoughtSignature']

/** Characters of all signatures and encrypted payloads of a part. */
export function countSignature(native: unknown): number {
  let length = 0
  for (const options of Object.values(readOptions(native))) {
    for (const key of SIGNATURES) {
      const value = readMember(options, key)
      if (typeof value === 'string') length += value.length
    }
  }
  return length
}

/** Whether the provider keeps the part under an id. */
export function hasItemId(native: unknown): boolean {
  return Object.values(readOptions(native)).some((options) => readMember(options, 'itemId') !== undefined)
}

/**
 * The part without the ids of stored items: with one, OpenAI is sent the id in place of the content, which an edit
 * would never reach.
 */
export function withoutItemIds(native: unknown): unknown {
  return isJsonObject(native) ? withoutOptions(native, ['itemId']) : native
}

/** The part without anything that holds for unchanged text only. */
export function withoutTies(native: JsonObject): JsonObject {
  return withoutOptions(native, ['itemId', 'thoughtSignature'])
}

function withoutOptions(native: JsonObject, keys: readonly string[]): JsonObject {
  const options = Object.entries(readOptions(native))
  if (!options.some(([, value]) => keys.some((key) => readMember(value, key) !== undefined))) return native
  const dropped = Object.fromEntries(keys.map((key) => [key, undefined]))
  const left = options.map(([name, value]) => [name, isJsonObject(value) ? withMembers(value, dropped) : value])
  return { ...native, providerOptions: Object.fromEntries(left) }
}

function readOptions(native: unknown): JsonObject {
  const options = readMember(native, 'providerOptions')
  return isJsonObject(options) ? options : {}
}
