/** Counts what reading and writing files costs, and finds reads that are stale or repeated. */

import { isFailure, readOutcome } from '../actions/outcome.ts'
import { type Action, readToolCall } from '../actions/tool-calls.ts'
import { addTo } from '../conversation/lists.ts'
import {
  type Conversation,
  type Message,
  type Part,
  type Role,
  renderPart,
} from '../conversation/message.ts'
import type { TokenCounter } from '../tokens/counter.ts'

export interface FileTokens {
  /** Relative to the working directory if it is inside. */
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

/**
 * `stale`: a later successful write changed the file. `duplicate`: an earlier read of it returned
 * the same.
 */
export type ReadState = 'fresh' | 'stale' | 'duplicate'

/** The content of one file in the result of a read. One result may contain several files. */
export interface FileRead {
  readonly part: Part
  readonly path: string
  /** Its share of the result. */
  readonly tokens: number
  readonly state: ReadState
}

/** `byFile` has the largest file first. */
export function measureFiles(parts: readonly MeasuredPart[]) {
  const reads = findReads(parts)
  const sum = (state: ReadState): ReadTokens => {
    const matching = reads.filter((read) => read.state === state)
    return {
      count: matching.length,
      tokens: Math.round(matching.reduce((tokens, read) => tokens + read.tokens, 0)),
    }
  }
  return {
    byFile: groupByFile(parts, reads),
    staleReads: sum('stale'),
    duplicateReads: sum('duplicate'),
  }
}

function groupByFile(parts: readonly MeasuredPart[], reads: readonly FileRead[]): FileTokens[] {
  const files = new Map<string, { -readonly [Field in keyof Omit<FileTokens, 'path'>]: number }>()
  for (const { part, action, tokens } of parts) {
    for (const path of filesOf(action)) {
      const sums = files.get(path) ?? {
        reads: 0,
        writes: 0,
        staleReads: 0,
        duplicateReads: 0,
        tokens: 0,
      }
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
  const reads: { -readonly [Field in keyof FileRead]: FileRead[Field] }[] = []
  const current = new Map<string, { reads: typeof reads; texts: Set<string> }>()
  for (const { part, action, failed, tokens } of parts) {
    if (part.type !== 'tool-result' || failed) continue
    for (const path of filesOf(action)) {
      if (action?.kind !== 'read') {
        for (const read of current.get(path)?.reads ?? []) read.state = 'stale'
        current.delete(path)
        continue
      }
      const file = current.get(path) ?? { reads: [], texts: new Set<string>() }
      current.set(path, file)
      const text = renderPart(part)
      const state: ReadState = file.texts.has(text) ? 'duplicate' : 'fresh'
      const read = { part, path, tokens: tokens / filesOf(action).length, state }
      file.texts.add(text)
      file.reads.push(read)
      reads.push(read)
    }
  }
  return reads
}

/**
 * Files that the call read or changed. A search names files too, but shows nothing of them that
 * could be stale.
 */
function filesOf(action: Action | undefined): readonly string[] {
  const touches = action?.kind === 'read' || action?.kind === 'write' || action?.kind === 'command'
  return touches ? action.paths : []
}

/** A part with its tokens. A call, or a result of a call, also has what that call did. */
export interface MeasuredPart {
  readonly part: Part
  readonly message: number
  readonly role: Role
  readonly tokens: number
  readonly action: Action | undefined
  /** Whether it is the result of a call that failed. */
  readonly failed: boolean
}

/**
 * Counts every part once, in order. Each result is paired with the nearest open call with its id.
 */
export function measureParts(conversation: Conversation, counter: TokenCounter): MeasuredPart[] {
  const openCalls = new Map<string, Action[]>()
  const measured: MeasuredPart[] = []
  let answered: Action | undefined
  conversation.messages.forEach(({ parts, role, origin }, message) => {
    for (const part of parts) {
      // Some tools give a document after their result, in a message of its own.
      let action = origin === 'environment' && part.type === 'file' ? answered : undefined
      let failed = false
      if (part.type === 'tool-call') {
        action = readToolCall(part, conversation.workingDirectory)
        addTo(openCalls, part.callId, action)
      } else if (part.type === 'tool-result') {
        action = openCalls.get(part.callId)?.pop()
        answered = action
        failed = isFailure(action, readOutcome(part, action))
      }
      measured.push({ part, message, role, tokens: counter.countPart(part).upper, action, failed })
    }
  })
  return measured
}

/**
 * Counts what each message costs in addition to its parts. It is the same for all messages of a
 * role.
 */
export function measureFrames(messages: readonly Message[], counter: TokenCounter): number[] {
  const frames = new Map<Role, number>()
  return messages.map((message) => {
    const tokens = frames.get(message.role) ?? counter.countMessage({ ...message, parts: [] }).upper
    frames.set(message.role, tokens)
    return tokens
  })
}

/** Each token of a conversation belongs to exactly one kind. `system` includes tool schemas. */
export type TokenKind = 'user' | 'assistant' | 'reasoning' | 'toolCalls' | 'toolResults' | 'system'

export function kindOf(part: Part, role: Role): TokenKind {
  if (part.type === 'reasoning') return 'reasoning'
  if (part.type === 'tool-call') return 'toolCalls'
  if (part.type === 'tool-result') return 'toolResults'
  return kindOfRole(role)
}

/** Tokens that a message costs in addition to its parts. */
export const kindOfRole = (role: Role): TokenKind => (role === 'tool' ? 'toolResults' : role)
