import { type JsonObject, readString } from './json.ts'
import type { Replacement } from './spans.ts'

/**
 * A UUID that depends on its seed alone, for entries that are written without a source of fresh
 * ones. It only has to differ from those around it, so four rounds of FNV-1a (Fowler, Noll, Vo)
 * with different offsets are enough.
 */
export function deriveUuid(seed: string): string {
  const words = [0x811c9dc5, 0x050c5d1f, 0x9e3779b9, 0x7f4a7c15].map((offset) => {
    let hash = offset
    for (let position = 0; position < seed.length; position++) {
      hash = Math.imul(hash ^ seed.charCodeAt(position), 0x01000193)
    }
    // The last bits of FNV are weak: mix them (finalizer of MurmurHash3).
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0')
  })
  const digits = words.join('')
  // Version 8, variant 10: a UUID of custom making (RFC 9562, section 5.8).
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`
}

/**
 * Gives the ids of new records. Without a source of fresh ones the same edit of the same session
 * gives the same ids.
 */
export function createIds(fresh: (() => string) | undefined, seed: string | number): () => string {
  let count = 0
  return fresh ?? (() => deriveUuid(`${seed} ${count++}`))
}

interface Linking {
  /** The keys under which a line has its own id and that of the line before it. */
  readonly keys: { readonly id: string; readonly parentId: string }
  /** Other keys that name a line. */
  readonly references?: readonly string[]
  readonly known: ReadonlySet<string>
  /** Its last line: what the added lines go after. */
  readonly leaf: string | undefined
  /** The line that the added ones went after where they come from. */
  readonly formerLeaf: string | undefined
  readonly createId: () => string
}

/**
 * Links lines, each of which names the line before it, to the end of another session. An id that
 * this session has too is replaced by a new one. What followed a line that is not taken along
 * follows the end; what followed an earlier line, where the user went back, still does.
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
