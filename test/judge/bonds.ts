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

const readOwnIds = (value: JsonObject): string[] =>
  OWN_KEYS.flatMap((key) => {
    const id = value[key]
    return typeof id === 'string' && id !== '' ? [id] : []
  })

export function findBonds(pieces: readonly Piece[]): Bond[] {
  const owners = new Map<string, Half>()
  const bonds: Bond[] = []
  for (const { type, value } of pieces) {
    const own = readOwnIds(value)
    for (const id of new Set(readIds(value))) {
      const first = owners.get(id)
      if (first) bonds.push({ first, second: { type, id, own } })
    }
    for (const id of own) if (!owners.has(id)) owners.set(id, { type, id, own })
  }
  return [...bonds, ...findReferenceBonds(pieces)]
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
    after.flatMap(({ type, value }) => readIds(value).map((id) => `${type} ${id}`)),
  )
  const isLeft = ({ type, id, own }: Half) =>
    [id, ...own].some((name) => left.has(`${type} ${name}`))
  return findBonds(before).filter(({ first, second }) => isLeft(first) !== isLeft(second))
}
