import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'

/** The input of a call for providers that take objects only; others have JSON or free text. */
export function toInputObject(input: unknown): JsonObject {
  if (isJsonObject(input)) return input
  if (typeof input !== 'string') return {}
  const value = parseJson(input)
  return isJsonObject(value) ? value : { input }
}

/** The input of a call for providers that take a text of JSON: one that was cut off, or is none, goes into an object. */
export function toInputJson(input: unknown): string {
  const text = toInputText(input)
  if (isJsonObject(parseJson(text))) return text
  return text.trim() === '' ? '{}' : toJsonText(toInputObject(input))
}

/** The input of a call for providers that take text only. */
export function toInputText(input: unknown): string {
  return typeof input === 'string' ? input : toJsonText(input ?? {})
}
