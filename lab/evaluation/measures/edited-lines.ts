/** The lines that edit calls take out and put in. */

import { asObject, asText, type JsonObject } from '../../../packages/precis/src/files/lines.ts'
import type { Item } from '../../../packages/precis/src/replay/items.ts'

const OLD_NAMES = ['old_string', 'oldText', 'old_str', 'oldString', 'search']
const OLD_NAMES_IN_LIST = ['old_string', 'oldText']
const NEW_NAMES = ['new_string', 'newText', 'new_str', 'newString', 'replace']
const PATCH_NAMES = ['input', 'patch', 'patchText']
export const PATCH_OPENING = '*** Begin Patch'

const LEAST_LINE_CHARACTERS = 12

/**
 * Lines that an edit had to know word for word, trimmed: what it replaces, and the context of a
 * patch.
 */
export function findAnchorLines({ input }: Item): string[] {
  const patch = findPatch(input)
  const context = patch
    .filter((line) => /^[ -]/.test(line) && !line.startsWith('---'))
    .map((line) => line.slice(1))
  const lines = [...findReplacements(input).flatMap(({ old }) => old.split('\n')), ...context]
  return lines.map((line) => line.trim()).filter((line) => line.length >= LEAST_LINE_CHARACTERS)
}

export interface Replacement {
  readonly old: string
  readonly fresh: string
}

export function findReplacements(input: unknown): Replacement[] {
  const fields = asObject(input)
  if (!fields) return []
  const edits = Array.isArray(fields.edits) ? fields.edits.map(asObject) : []
  const inner = edits.flatMap((edit) => (edit ? readReplacements(edit, OLD_NAMES_IN_LIST) : []))
  return [...readReplacements(fields, OLD_NAMES), ...inner]
}

function readReplacements(fields: JsonObject, oldNames: readonly string[]): Replacement[] {
  const fresh =
    NEW_NAMES.map((name) => asText(fields[name])).find((text) => text !== undefined) ?? ''
  return oldNames.flatMap((name) => {
    const old = asText(fields[name])
    return old === undefined ? [] : [{ old, fresh }]
  })
}

/** Lines of a patch in the arguments of a call; none when there is no patch. */
export function findPatch(input: unknown): string[] {
  const fields = asObject(input)
  const named = PATCH_NAMES.map((name) => asText(fields?.[name])).find((value) => value)
  const text = asText(input) ?? named ?? ''
  return text.includes(PATCH_OPENING) ? text.split('\n') : []
}

/** A line without the number that a reading tool put before it. */
export function normalizeLine(line: string): string {
  return line.replace(/^\s*(?:L?\d+[:→|\t]|\d+\s*[→|])\s?/, '').trim()
}
