/**
 * What may tie one part to others: its ids, and short values that may be the id of another.
 * `bonds.ts` finds what belongs together.
 */
import type { Bond, Part } from './message.ts'

// `call_id`, `callId`, `uid`, `task_uuid`.
const ID_KEY = /(?:^|_)(?:uu|gu|u)?ids?$|(?:^|[a-z])(?:I[dD]|(?:Uu|Gu|U)id|(?:UU|GU|U)ID)s?$/
// Many parts share these ids without belonging together: places, owners, answers.
const SHARED_KEY =
  /(?:^|_|\.)(?:file|container|response|conversation|session|thread|user|account|project|organization|workspace|model|message|turn|agent|trace|span|skill|vector_store|document|connector|server|item)_?(?:uu|gu|u)?ids?$/i

/** Whether ids under this key tie nothing. */
const isShared = (key: string): boolean => SHARED_KEY.test(key)

// The content of a part, where any member may be called an id.
const CONTENT =
  /^(?:input|arguments|args|content|output|outputs|results?|response|parameters|text|data|action|operation|metadata|provider(?:Metadata|Options|Data)|cache_control|tools)$/
// A part of Gemini has its members one level deeper than a block of others.
const DEEPEST = 8
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
      for (const given of [member].flat()) {
        const id = typeof given === 'number' ? `${given}` : given
        if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) bonds.push({ key, id })
      }
    } else if (!CONTENT.test(name)) collect(member, key, levels - 1, bonds)
  }
}

// What a part says about itself, in words that may be the id of another by accident.
const DESCRIPTION = /^(?:type|kind|name|role|status|state|title|description)$/
const LONGEST_MENTION = 100
// A part may be about hundreds of others.
const MOST_MENTIONS = 1_000

/** Reads `bonds` and `mentions` of a native block. */
export function readTies(block: unknown, callId?: string): Pick<Part, 'bonds' | 'mentions'> {
  const mentions: Bond[] = []
  collectMentions(block, '', DEEPEST, mentions)
  return {
    bonds: readBonds(block, callId),
    ...(mentions.length > 0 && { mentions }),
  }
}

function collectMentions(
  value: unknown,
  path: string,
  levels: number,
  mentions: Bond[],
  isListed = false,
): void {
  if (mentions.length === MOST_MENTIONS) return
  if (typeof value === 'string') {
    if (path !== '' && mayBeId(value)) mentions.push({ key: path, id: value })
    return
  }
  if (typeof value !== 'object' || value === null || levels === 0) return
  if (Array.isArray(value)) {
    for (const member of value) collectMentions(member, path, levels - 1, mentions, true)
    return
  }
  const entries: [string, unknown][] = Object.entries(value)
  for (const [name, member] of entries) {
    const key = path === '' ? name : `${path}.${name}`
    // An id in a list of objects is that of another part: `covers: [{ call_id }]`.
    const isBond = !isListed && ID_KEY.test(name) && !isShared(key)
    if (isBond || CONTENT.test(name) || DESCRIPTION.test(name)) continue
    // Something may also be filed under an id: `{ c1: { verdict } }`.
    if (path !== '' && /\d/.test(name) && mayBeId(name)) mentions.push({ key: path, id: name })
    collectMentions(member, key, levels - 1, mentions, isListed)
  }
}

/** One sign is a number or a size, and an id has no spaces. */
const mayBeId = (value: string): boolean =>
  value.length > 1 && value.length <= LONGEST_MENTION && !/\s/.test(value)

export const partKindOf = (part: Part): string => (part.type === 'opaque' ? part.kind : part.type)

/** The place of an id in a part. A part with the id in another place of its chain names the first. */
export const placeOf = (part: Part, { key }: Bond): string => `${partKindOf(part)} ${key}`

/** Whether a key names what called a part. */
export const isCaller = (key: string): boolean => key.startsWith('caller.')

/** The id of their call ties calls and results to parts of other types. */
export function listBonds(part: Part): readonly Bond[] {
  const { bonds = [] } = part
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return bonds
  const key = part.type === 'tool-call' ? 'id' : 'call_id'
  return [{ key, id: part.callId }, ...bonds]
}

/** What a part, or a part inside a result, mentions beside the ids that it names as such. */
export const listMentions = (part: Part, named: readonly Bond[]): Bond[] =>
  (part.type === 'tool-result' ? part.output.flatMap(({ bonds = [] }) => bonds) : [])
    .concat(part.mentions ?? [])
    .filter(({ id }) => !named.some((bond) => bond.id === id))

/**
 * The values of a part of an unknown type, each with the name that it has there. None of an answer
 * that names an id. A word without a digit tells nothing apart, and places or owners are shared by
 * many.
 */
export function listTags(part: Part): Bond[] {
  const { type, mentions = [], bonds = [] } = part
  if (type !== 'opaque') return []
  if (isAnswer(part) && bonds.some(({ key }) => key !== 'id')) return []
  return mentions
    .filter(({ key, id }) => /\d/.test(id) && !isShared(key))
    .map(({ key, id }) => ({ key, id: `${key.slice(key.lastIndexOf('.') + 1)} ${id}` }))
}

/** Whether it is an answer by the name of its type. */
export const isAnswer = (part: Part): boolean => ANSWER.test(partKindOf(part))

const ANSWER = /(?:^|[_-])(?:result|output|response)$|[a-z\d](?:Result|Output|Response)$/

/** Whether it is a call that Anthropic runs itself, or the result of one. */
export const isOfServer = (part: Part): boolean => SERVER_TOOL.test(partKindOf(part))

const SERVER_TOOL = /_tool_(?:use|result)$/
