import { isSameList } from '../../conversation/lists.ts'

/**
 * A JSON object of unknown shape. Read members that may be missing with `readMember`: `__proto__`
 * may be a key.
 */
export interface JsonObject {
  readonly [key: string]: unknown
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

/** The object's own member. Undefined if the value is not an object. */
export function readMember(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

export function readString(value: unknown, key: string): string | undefined {
  const member = readMember(value, key)
  return typeof member === 'string' ? member : undefined
}

export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The object with other members. Undefined members are left out. */
export function withMembers(object: JsonObject, members: JsonObject): JsonObject {
  const changed = { ...object, ...members }
  for (const key of Object.keys(members)) if (members[key] === undefined) delete changed[key]
  return changed
}

/** The original itself if it is a list of the same values. */
export function keepSameList(values: readonly unknown[], original: unknown): unknown {
  return Array.isArray(original) && isSameList(values, original) ? original : values
}
