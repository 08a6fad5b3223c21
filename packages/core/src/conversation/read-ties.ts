/**
 * Reads from a native block what may tie it to others: its ids, and short values that may be the id
 * of another. `bonds.ts` finds what belongs together.
 */
import type { Bond, Part } from './message.ts'

const ID_KEY = /(?:^|_)ids?$|(?:^|[a-z])I[dD]s?$/
// Many parts share these ids without belonging together: places, owners, answers.
const SHARED_KEY =
  /(?:^|_|\.)(?:file|container|response|conversation|session|thread|user|account|project|organization|workspace|model|message|turn|agent|trace|span|skill|vector_store|document|connector|server|item)_?ids?$/i

/** Whether ids under this key tie nothing. */
export const isShared = (key: string): boolean => SHARED_KEY.test(key)

// The content of a part, where any member may be called an id.
const CONTENT =
  /^(?:input|arguments|args|content|output|outputs|results?|response|parameters|text|data|action|operation|metadata|provider(?:Metadata|Options|Data)|source|cache_control|tools)$/
// A part of Gemini has its members one level deeper than a block of others.
const DEEPEST = 4
const LONGEST_ID = 400

/**
 * The ids of a native block. Undefined if it has none. For a call or a result with `callId`, only
 * its other ids. Linear in the keys of the block. Searches only a few levels deep.
 */
export function readBonds(block: unknown, callId?: string): readonly Bond[] | undefined {
  const bonds: Bond[] = []
  collect(block, '', DEEPEST, bonds)
  const others =
    callId === undefined ? bonds : bonds.filter(({ key, id }) => key !== 'id' && id !== callId)
  return others.length > 0 ? others : undefined
}

function collect(value: unknown, path: string, levels: number, bonds: Bond[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || levels === 0) return
  const entries: [string, unknown][] = Object.entries(value)
  for (const [name, member] of entries) {
    const key = path === '' ? name : `${path}.${name}`
    if (ID_KEY.test(name)) {
      if (isShared(key)) continue
      for (const id of Array.isArray(member) ? member : [member]) {
        if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) bonds.push({ key, id })
      }
    } else if (!CONTENT.test(name)) collect(member, key, levels - 1, bonds)
  }
}

// What a part says about itself, in words that may be the id of another by accident.
const DESCRIPTION = /^(?:type|kind|name|role|status|state|title|description)$/
const LONGEST_MENTION = 100
const MOST_MENTIONS = 50

/** Reads `bonds` and `mentions` of a native block. */
export function readTies(block: unknown, callId?: string): Pick<Part, 'bonds' | 'mentions'> {
  const mentions: Bond[] = []
  collectMentions(block, '', DEEPEST, mentions)
  return {
    bonds: readBonds(block, callId),
    ...(mentions.length > 0 && { mentions }),
  }
}

function collectMentions(value: unknown, path: string, levels: number, mentions: Bond[]): void {
  if (mentions.length === MOST_MENTIONS) return
  if (typeof value === 'string') {
    // One sign is a number or a size, and an id has no spaces.
    const isShort = value.length > 1 && value.length <= LONGEST_MENTION
    if (isShort && path !== '' && !/\s/.test(value)) mentions.push({ key: path, id: value })
    return
  }
  if (typeof value !== 'object' || value === null || levels === 0) return
  if (Array.isArray(value)) {
    for (const member of value) collectMentions(member, path, levels - 1, mentions)
    return
  }
  const entries: [string, unknown][] = Object.entries(value)
  for (const [name, member] of entries) {
    const key = path === '' ? name : `${path}.${name}`
    const isBond = ID_KEY.test(name) && !isShared(key)
    if (isBond || CONTENT.test(name) || DESCRIPTION.test(name)) continue
    collectMentions(member, key, levels - 1, mentions)
  }
}
