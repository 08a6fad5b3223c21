/** What reading and writing files cost, and which reads say nothing any more. */
import { renderPart } from '../conversation/message.ts'
import type { MeasuredPart } from './measure-parts.ts'

export interface FileTokens {
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

type ReadState = 'fresh' | 'stale' | 'duplicate'

interface Read {
  readonly path: string
  readonly tokens: number
  state: ReadState
}

/** `byFile` is fattest first. */
export function measureFiles(parts: readonly MeasuredPart[]): {
  byFile: FileTokens[]
  staleReads: ReadTokens
  duplicateReads: ReadTokens
} {
  const reads = findReads(parts)
  const sum = (state: ReadState): ReadTokens => {
    const matching = reads.filter((read) => read.state === state)
    return { count: matching.length, tokens: matching.reduce((tokens, read) => tokens + read.tokens, 0) }
  }
  return { byFile: groupByFile(parts, reads), staleReads: sum('stale'), duplicateReads: sum('duplicate') }
}

function groupByFile(parts: readonly MeasuredPart[], reads: readonly Read[]): FileTokens[] {
  const files = new Map<string, { -readonly [Field in keyof Omit<FileTokens, 'path'>]: number }>()
  for (const { part, files: accesses, tokens } of parts) {
    for (const { path, type } of accesses) {
      const sums = files.get(path) ?? { reads: 0, writes: 0, staleReads: 0, duplicateReads: 0, tokens: 0 }
      files.set(path, sums)
      // A patch of several files costs each its share.
      sums.tokens += tokens / accesses.length
      if (part.type === 'tool-call') sums[type === 'read' ? 'reads' : 'writes']++
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
function findReads(parts: readonly MeasuredPart[]): Read[] {
  const reads: Read[] = []
  const current = new Map<string, { reads: Read[]; texts: Set<string> }>()
  for (const { part, files, tokens } of parts) {
    if (part.type !== 'tool-result' || part.isError) continue
    for (const { path, type } of files) {
      if (type === 'write') {
        for (const read of current.get(path)?.reads ?? []) read.state = 'stale'
        current.delete(path)
        continue
      }
      const file = current.get(path) ?? { reads: [], texts: new Set<string>() }
      current.set(path, file)
      const text = renderPart(part)
      const read: Read = { path, tokens, state: file.texts.has(text) ? 'duplicate' : 'fresh' }
      file.texts.add(text)
      file.reads.push(read)
      reads.push(read)
    }
  }
  return reads
}
