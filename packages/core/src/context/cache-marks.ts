import { isJsonObject, type JsonObject, withMembers } from '../formats/json/object.ts'
import { isSameList } from '../formats/json/same-list.ts'

const MARKS = ['cache_control', 'cacheControl', 'cachePoint']
// A message, its blocks, and the blocks of a result in it.
const LEVELS = 3

/** The message without marks of what a provider shall cache, which move with every request; itself when it has none. */
export function withoutCacheMarks<Native extends object>(native: Native): Native {
  return isJsonObject(native) ? (omitMarks(native, LEVELS) as Native) : native
}

function omitMarks(value: JsonObject, levels: number): JsonObject {
  if (levels === 0 || !isPlain(value)) return value
  const members: Record<string, unknown> = {}
  for (const key of MARKS) if (Object.hasOwn(value, key)) members[key] = undefined
  const { content } = value
  if (Array.isArray(content)) {
    const blocks = content.map((block: unknown) => (isJsonObject(block) ? omitMarks(block, levels - 1) : block))
    if (!isSameList(blocks, content)) members.content = blocks
  }
  if (isJsonObject(value.providerOptions)) {
    const kept = omitProviderMarks(value.providerOptions)
    if (kept !== value.providerOptions) members.providerOptions = kept
  }
  return Object.keys(members).length === 0 ? value : withMembers(value, members)
}

/** `{ anthropic: { cacheControl: … } }` is nothing but a mark. */
function omitProviderMarks(options: JsonObject): JsonObject | undefined {
  const providers = Object.entries(options)
  if (!providers.some(([, own]) => isJsonObject(own) && MARKS.some((key) => Object.hasOwn(own, key)))) return options
  const kept = providers
    .map(([name, own]) => [name, isJsonObject(own) ? withMembers(own, NO_MARKS) : own] as const)
    .filter(([, own]) => !isJsonObject(own) || Object.keys(own).length > 0)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const NO_MARKS: JsonObject = Object.fromEntries(MARKS.map((key) => [key, undefined]))

/** Objects with a class of their own are not taken apart. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
