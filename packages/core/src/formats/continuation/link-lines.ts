/** Lines that name the line before them, moved behind other lines. */

export interface Linking {
  /** Ids of the base. */
  readonly known: ReadonlySet<string>
  /** Where the base ends: what the added lines go behind. */
  readonly leaf: string | undefined
  /** What they stood behind. */
  readonly formerLeaf: string | undefined
  readonly createId: () => string
}

export interface LinkedLine {
  readonly id: string | undefined
  readonly parentId: string | undefined
}

/**
 * Ids that the base has too are given anew. A line behind one that stays behind goes behind the end of the base; one
 * behind an earlier line of the base, where the person went back, stays behind that.
 */
export function createLinker({ known, leaf, formerLeaf, createId }: Linking): (line: LinkedLine) => LinkedLine {
  const renamed = new Map<string, string>()
  return ({ id, parentId }) => {
    const newId = id !== undefined && known.has(id) ? createId() : id
    if (id !== undefined && newId !== undefined) renamed.set(id, newId)
    if (parentId === undefined) return { id: newId, parentId }
    const added = renamed.get(parentId)
    if (added !== undefined && parentId !== id) return { id: newId, parentId: added }
    const isEarlier = parentId !== formerLeaf && known.has(parentId)
    return { id: newId, parentId: isEarlier ? parentId : leaf }
  }
}
