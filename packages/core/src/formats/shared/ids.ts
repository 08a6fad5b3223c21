import { type JsonObject, readString } from './json.ts'
import type { Replacement } from './spans.ts'

/**
 * A UUID that depends only on its seed, for entries written without a source of new ids. It only
 * has to differ from the ids around it, so four rounds of FNV-1a (Fowler, Noll, Vo) with different
 * offsets are enough.
 */
export function deriveUuid(seed: string): string {
  const words = [0x811c9dc5, 0x050c5d1f, 0x9e3779b9, 0x7f4a7c15].map((offset) => {
    let hash = offset
    for (let position = 0; position < seed.length; position++) {
      hash = Math.imul(hash ^ seed.charCodeAt(position), 0x01000193)
    }
    // The last bits of FNV are weak, so they are mixed (finalizer of MurmurHash3).
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0')
  })
  const digits = words.join('')
  // Version 8, variant 10: a custom UUID (RFC 9562, section 5.8).
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
}

/**
 * Returns the ids of new records. If `fresh` is undefined, the same edit of the same session
 * returns the same ids.
 */
export function createIds(fresh: (() => string) | undefined, seed: string | number): () => string {
  let count = 0
  return fresh ?? (() => deriveUuid(`${seed} ${count++}`))
}

interface Linking {
  /** The keys of a line's own id and of the id of the line before it. */
  readonly keys: { readonly id: string; readonly parentId: string }
  /** Other keys that name a line. */
  readonly references?: readonly string[]
  readonly known: ReadonlySet<string>
  /** Its last line, which the added lines follow. */
  readonly leaf: string | undefined
  /** The line that the added lines followed in their source. */
  readonly formerLeaf: string | undefined
  readonly createId: () => string
}

/**
 * Links lines to the end of another session. Each line names the line before it. An id that this
 * session already has is replaced by a new id. A line after a dropped line follows the end. A line
 * after an earlier line, where the user went back, still follows that line.
 */
export function createLinker({
  keys,
  references = [],
  known,
  leaf,
  formerLeaf,
  createId,
}: Linking): (line: JsonObject) => Replacement[] {
  const renamed = new Map<string, string>()
  const replace = (key: string, id: string | undefined) =>
    id === undefined ? [] : [{ path: [key], json: JSON.stringify(id) }]
  return (line) => {
    const id = readString(line, keys.id)
    const parentId = readString(line, keys.parentId)
    const newId = id !== undefined && known.has(id) ? createId() : id
    if (id !== undefined && newId !== undefined) renamed.set(id, newId)
    const replacements = [
      ...replace(keys.id, newId),
      ...references.flatMap((key) => replace(key, renamed.get(readString(line, key) ?? ''))),
    ]
    if (parentId === undefined) return replacements
    const added = parentId === id ? undefined : renamed.get(parentId)
    const isEarlier = parentId !== formerLeaf && known.has(parentId)
    return [...replacements, ...replace(keys.parentId, added ?? (isEarlier ? parentId : leaf))]
  }
}
