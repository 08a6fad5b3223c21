/**
 * What belongs together, for every provider and for types that do not exist yet: a piece that names
 * the id of another.
 */
import { isObject, type JsonObject, type Piece } from './provider.ts'

/**
 * A piece as one end of a bond: what finds it again in another request, whatever happened to its
 * payload.
 */
export interface Half {
  readonly type: string
  /** The id that the bond is of. */
  readonly id: string
  /**
   * What the piece itself is called: it is still there where only the name of the other was taken
   * from it.
   */
  readonly own: readonly string[]
}

/** Two pieces of which neither may stay without the other. */
export interface Bond {
  readonly first: Half
  readonly second: Half
}

// Under these a piece says what it is itself called; the first with a value has it, a later one
// refers to it.
const OWN_KEYS = ['id', 'call_id', 'toolCallId', 'approvalId'] as const
const NAMING_KEY = /(?:^|_)id$|Id$/
const NAMING_LIST = /_ids$|Ids$/
// What a tool was given or returned may hold any ids. They name nothing in the history.
const PAYLOAD_KEYS = new Set([
  'input',
  'args',
  'arguments',
  'action',
  'actions',
  'operation',
  'tools',
  'source',
  'content',
  'output',
  'outputs',
  'result',
  'results',
  'response',
  'summary',
])

/** Every id in a piece outside of its payload, its own among them. */
export function readIds(value: JsonObject, depth = 0): string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    if (PAYLOAD_KEYS.has(key)) return []
    if (typeof member === 'string') return NAMING_KEY.test(key) && member !== '' ? [member] : []
    if (Array.isArray(member))
      return NAMING_LIST.test(key) ? member.filter((id) => typeof id === 'string') : []
    return isObject(member) && depth < 2 ? readIds(member, depth + 1) : []
  })
}

// What a piece says about itself. Such words may be the id of another by accident.
const DESCRIBING_KEYS = new Set(['type', 'kind', 'name', 'role', 'status', 'state', 'title'])

interface Value {
  readonly key: string
  readonly value: string
}

/** Every short value outside of the payload, whatever its key is called. */
function readValues(value: unknown, key = '', depth = 0): Value[] {
  if (typeof value === 'string')
    return key !== '' && /^\S{2,64}$/.test(value) ? [{ key, value }] : []
  if (Array.isArray(value) && depth < 4)
    return value.flatMap((member) => readValues(member, key, depth + 1))
  if (!isObject(value) || depth === 4) return []
  return Object.entries(value).flatMap(([name, member]) =>
    PAYLOAD_KEYS.has(name) || DESCRIBING_KEYS.has(name) ? [] : readValues(member, name, depth + 1),
  )
}

const readNames = (value: JsonObject): string[] => [
  ...readIds(value),
  ...readValues(value).map((one) => one.value),
]

const readOwnIds = (value: JsonObject): string[] =>
  OWN_KEYS.flatMap((key) => {
    const id = value[key]
    return typeof id === 'string' && id !== '' ? [id] : []
  })

export function findBonds(pieces: readonly Piece[]): Bond[] {
  const owners = new Map<string, Half>()
  const bonds: Bond[] = []
  // What was named before the piece that is called so.
  const early = new Map<string, Half[]>()
  for (const { type, value } of pieces) {
    const own = readOwnIds(value)
    for (const id of own) {
      for (const first of early.get(id) ?? []) bonds.push({ first, second: { type, id, own } })
      early.delete(id)
    }
    const ids = new Set(readIds(value))
    for (const id of new Set(readNames(value))) {
      const first = owners.get(id)
      const second = { type, id, own }
      if (first) bonds.push({ first, second })
      else if (!ids.has(id)) early.set(id, [...(early.get(id) ?? []), second])
    }
    for (const id of own) if (!owners.has(id)) owners.set(id, { type, id, own })
  }
  return [...bonds, ...findReferenceBonds(pieces), ...findValueBonds(pieces)]
}

const isNamedAnswer = (type: string): boolean => /_(?:result|response|output)$/.test(type)

/** An answer without any id, and the last piece before it with the same value: `lease: L1`. */
function findValueBonds(pieces: readonly Piece[]): Bond[] {
  const holders = new Map<string, Half>()
  return pieces.flatMap(({ type, value }) => {
    const own = readOwnIds(value)
    const tags = readValues(value).filter(
      (one) => /\d/.test(one.value) && !NAMING_KEY.test(one.key) && !NAMING_LIST.test(one.key),
    )
    if (isNamedAnswer(type)) {
      const tag = tags.find((one) => holders.has(`${one.key} ${one.value}`))
      const first = tag && holders.get(`${tag.key} ${tag.value}`)
      const isAlone = readIds(value).every((id) => own.includes(id)) && value.call_id === undefined
      return first && isAlone ? [{ first, second: { type, id: tag.value, own } }] : []
    }
    for (const one of tags) holders.set(`${one.key} ${one.value}`, { type, id: one.value, own })
    return []
  })
}

const isOutput = (type: string): boolean => type.endsWith('_output')

/**
 * A reference to a stored item does not tell what it is: it goes with the outputs right after it
 * that have no call here.
 */
function findReferenceBonds(pieces: readonly Piece[]): Bond[] {
  const called = new Set(
    pieces.flatMap(({ type, value }) => (isOutput(type) ? [] : readOwnIds(value))),
  )
  const bonds: Bond[] = []
  let references: Half[] = []
  for (const { type, value } of pieces) {
    const own = readOwnIds(value)
    const [id = ''] = own
    if (type === 'item_reference') references.push({ type, id, own })
    else if (!isOutput(type)) references = []
    else if (!called.has(id))
      bonds.push(...references.map((first) => ({ first, second: { type, id, own } })))
  }
  return bonds
}

/** The bonds of which one half is still there. */
export function findTornBonds(before: readonly Piece[], after: readonly Piece[]): Bond[] {
  const left = new Set(
    after.flatMap(({ type, value }) => readNames(value).map((id) => `${type} ${id}`)),
  )
  const isLeft = ({ type, id, own }: Half) =>
    [id, ...own].some((name) => left.has(`${type} ${name}`))
  return findBonds(before).filter(({ first, second }) => isLeft(first) !== isLeft(second))
}
