/** The fields of a call's input, by name. */
import { parseJson } from '../conversation/json-text.ts'

export type Fields = ReadonlyMap<string, unknown>

/** The input as an object, parsed if it is JSON. Any other input as text. */
export function parseInput(input: unknown): object | string {
  if (typeof input !== 'string')
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : ''
  if (!input.trimStart().startsWith('{')) return input
  const value = parseJson(input)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : input
}

export function textOf(fields: Fields, names: Iterable<string>): string | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** The objects of a list. */
export function listFields(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((one) =>
    typeof one === 'object' && one !== null ? [new Map(Object.entries(one))] : [],
  )
}
