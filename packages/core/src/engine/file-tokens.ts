/** What reading and writing files cost, and which reads say nothing any more. */
import { type Part, renderPart } from '../conversation/message.ts'
import type { Action } from '../facts/tool-calls.ts'
import type { MeasuredPart } from './measure-parts.ts'

export interface FileTokens {
  /** Relative to the working directory where it lies inside. */
  readonly path: string
  readonly reads: number
  readonly writes: number
  /** Reads made stale by a later successful write. */
  readonly staleReads: number
  readonly duplicateReads: number
  /** Calls and results together. */
  readonly tokens: number
}

export interface ReadTokens {
  readonly count: number
  readonly tokens: number
}

/** `stale`: a later successful write changed the file; `duplicate`: an earlier read of it gave the same. */
export type ReadState = 'fresh' | 'stale' | 'duplicate'

/** What a read gave of one file; one result may give several. */
export interface FileRead {
  readonly part: Part
  readonly path: string
  /** Its share of the result. */
  readonly tokens: number
  readonly state: ReadState
}

type Read = { -readonly [Field in keyof FileRead]: FileRead[Field] }

/** `byFile` is fattest first. */
export function measureFiles(parts: readonly MeasuredPart[]): {
  byFile: FileTokens[]
  staleReads: ReadTokens
  duplicateReads: ReadTokens
} {
  const reads = findReads(parts)
  const sum = (state: ReadState): ReadTokens => {
    const matching = reads.filter((read) => read.state === state)
    return { count: matching.length, tokens: Math.round(matching.reduce((tokens, read) => tokens + read.tokens, 0)) }
  }
  return { byFile: groupByFile(parts, reads), staleReads: sum('stale'), duplicateReads: sum('duplicate') }
}

function groupByFile(parts: readonly MeasuredPart[], reads: readonly FileRead[]): FileTokens[] {
  const files = new Map<string, { -readonly [Field in keyof Omit<FileTokens, 'path'>]: number }>()
  for (const { part, action, tokens } of parts) {
    for (const path of filesOf(action)) {
      const sums = files.get(path) ?? { reads: 0, writes: 0, staleReads: 0, duplicateReads: 0, tokens: 0 }
      files.set(path, sums)
      // A patch or a `cat` of several files costs each its share.
      sums.tokens += tokens / filesOf(action).length
      if (part.type === 'tool-call') sums[action?.kind === 'read' ? 'reads' : 'writes']++
    }
  }
  for (const { path, state } of reads) {
    const sums = files.get(path)
    if (sums && state === 'stale') sums.staleReads++
    if (sums && state === 'duplicate') sums.duplicateReads++
  }
  return [...files]
    .map(([path, sums]) => ({ path, ...sums, tokens: Math.round(sums.tokens) }))
    .sort((a, b) => b.tokens - a.tokens)
}

//   read a   read a (same)   edit a   read a   read a (same)
//   stale    stale           ✔        fresh    duplicate
export function findReads(parts: readonly MeasuredPart[]): FileRead[] {
  const reads: Read[] = []
  const current = new Map<string, { reads: Read[]; texts: Set<string> }>()
  for (const { part, action, tokens } of parts) {
    if (part.type !== 'tool-result' || part.isError) continue
    for (const path of filesOf(action)) {
      if (action?.kind === 'write') {
        for (const read of current.get(path)?.reads ?? []) read.state = 'stale'
        current.delete(path)
        continue
      }
      const file = current.get(path) ?? { reads: [], texts: new Set<string>() }
      current.set(path, file)
      const text = renderPart(part)
      const share = tokens / filesOf(action).length
      const read: Read = { part, path, tokens: share, state: file.texts.has(text) ? 'duplicate' : 'fresh' }
      file.texts.add(text)
      file.reads.push(read)
      reads.push(read)
    }
  }
  return reads
}

/** Files that the call read or wrote; a search names files too, but gives nothing of them that could be stale. */
function filesOf(action: Action | undefined): readonly string[] {
  return action?.kind === 'read' || action?.kind === 'write' ? action.paths : []
}
