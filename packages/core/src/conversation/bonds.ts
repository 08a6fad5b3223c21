/**
 * Finds parts of any type that belong together, because one contains the id of the other. The
 * best-known case is a call and its result. What a provider runs itself, requires approval for or
 * calls from code is tied the same way. Future types are covered too.
 *
 *   server_tool_use  id: s1
 *   tool_use         id: t1          caller: { tool_id: s1 }
 *   tool_result      tool_use_id: t1
 *   code_execution_tool_result       tool_use_id: s1
 */
import type { Bond, Message, Part } from './message.ts'

/** A part by its position. */
export interface PartSite {
  readonly message: number
  readonly part: Part
}

/** A part, and why it cannot stay as it is. */
export interface BrokenBond extends PartSite {
  readonly id: string
  /**
   * `unanswered`: what it asks for never came. `unapproved`: the same of an approval, which need not
   * come. `loose`: what it names does not come before it. `repeated`: the same part comes before it.
   */
  readonly problem: 'unanswered' | 'unapproved' | 'loose' | 'repeated'
}

export interface BondedParts {
  /** Parts that name the same id, in order of the messages. Each group has at least two. */
  readonly groups: readonly (readonly PartSite[])[]
  /** The parts of the groups, which stay or go together. */
  readonly tied: ReadonlySet<Part>
  /** The first results of calls before them, of whatever type, or only named there. */
  readonly answers: ReadonlySet<Part>
  readonly broken: readonly BrokenBond[]
  /**
   * The first message that names content stored by the provider. Anything after it may answer that
   * content. `Infinity` if there is none.
   */
  readonly firstReference: number
}

const ID_KEY = /(?:^|_)ids?$|(?:^|[a-z])I[dD]s?$/
// Many parts share these ids without belonging together: places, owners, answers.
const SHARED =
  /(?:^|_|\.)(?:file|container|response|conversation|session|thread|user|account|project|organization|workspace|model|message|turn|agent|trace|span|skill|vector_store|document|connector|server|item)_?ids?$/i
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
      if (SHARED.test(key)) continue
      for (const id of Array.isArray(member) ? member : [member]) {
        if (typeof id === 'string' && id !== '' && id.length <= LONGEST_ID) bonds.push({ key, id })
      }
    } else if (!CONTENT.test(name)) collect(member, key, levels - 1, bonds)
  }
}

const memo = new WeakMap<readonly Message[], BondedParts>()
const NONE: BondedParts = {
  groups: [],
  tied: new Set(),
  answers: new Set(),
  broken: [],
  firstReference: Infinity,
}

/** Linear. Memoized by identity, because cuts and rules need the same result. */
export function findBondedParts(messages: readonly Message[]): BondedParts {
  const known = memo.get(messages)
  if (known) return known
  const found = messages.some(({ parts }) => parts.some((part: Part) => part.bonds))
    ? findGroups(messages)
    : NONE
  memo.set(messages, found)
  return found
}

/** Everything that names one id, from its first use on. */
interface Chain {
  /**
   * Where its first part has the id. Another part with the id in the same place begins a new chain,
   * because ids may be reused.
   */
  readonly beginning: string
  readonly members: PartSite[]
  readonly id: string
  /** Whether its first part has the id as its own, and does not only name it. */
  readonly isOwned: boolean
  isAnswered: boolean
  hasResult: boolean
}

function findGroups(messages: readonly Message[]): BondedParts {
  const open = new Map<string, Chain>()
  const chains: Chain[] = []
  const broken: BrokenBond[] = []
  // Adjacent references, with the results after them that have no call here.
  const stored: PartSite[][] = []
  let references: PartSite[] = []
  let isListing = false
  const answers = new Set<Part>()
  let firstReference = Infinity
  messages.forEach(({ parts }, message) => {
    for (const part of parts) {
      const kind = partKindOf(part)
      const site = { message, part }
      const bonds = listBonds(part)
      // The provider has the calls that are only named here. Their results come after them.
      if (kind === 'item_reference') {
        firstReference = Math.min(firstReference, message)
        if (!isListing) references = []
        references.push(site)
      } else if (part.type === 'tool-result' && references.length > 0 && !open.has(part.callId)) {
        references.push(site)
        answers.add(part)
        if (stored.at(-1) !== references) stored.push(references)
      }
      isListing = kind === 'item_reference'
      let repeated: string | undefined
      for (const bond of bonds) {
        const { key, id } = bond
        const chain = open.get(id)
        const beginning = placeOf(part, bond)
        if (chain && isRepeated(part, key, chain)) repeated = id
        if (chain && isResultOf(part, key, chain)) {
          if (!chain.hasResult) answers.add(part)
          chain.hasResult = true
        }
        if (!chain || chain.beginning === beginning) {
          const isOwned = !isBackward(key, kind) && (key === 'id' || !ANSWER.test(kind))
          const members = [site]
          const begun = { beginning, id, members, isOwned, isAnswered: false, hasResult: false }
          open.set(id, begun)
          chains.push(begun)
          continue
        }
        if (chain.members.at(-1)?.part !== part) chain.members.push(site)
        chain.isAnswered ||= chain.members[0]?.part !== part && !isCaller(key)
      }
      const loose = findLoose(part, bonds, open)
      if (loose !== undefined) broken.push({ ...site, id: loose, problem: 'loose' })
      else if (repeated !== undefined) broken.push({ ...site, id: repeated, problem: 'repeated' })
    }
  })
  for (const { members, id, isAnswered } of chains) {
    const [first] = members
    if (!first || isAnswered) continue
    if (asksFor(first.part, id)) broken.push({ ...first, id, problem: 'unanswered' })
    else if (partKindOf(first.part) === 'mcp_approval_request')
      broken.push({ ...first, id, problem: 'unapproved' })
  }
  const groups = [...chains.flatMap((chain) => (isTying(chain) ? [chain.members] : [])), ...stored]
  const tied = new Set(groups.flatMap((group) => group.map(({ part }) => part)))
  return { groups, tied, answers, broken, firstReference }
}

/** Other rules pair a call with its result, and know the order of results. */
function isTying({ members, id }: Chain): boolean {
  const isKnown = ({ part }: PartSite) =>
    (part.type === 'tool-call' || part.type === 'tool-result') &&
    !part.bonds?.some((bond) => bond.id === id)
  return members.length > 1 && !members.every(isKnown)
}

export const partKindOf = (part: Part): string => (part.type === 'opaque' ? part.kind : part.type)

/** The place of an id in a part. A part with the id in another place of its chain names the first. */
export const placeOf = (part: Part, { key }: Bond): string => `${partKindOf(part)} ${key}`

/** Each id with its place in the first part that has it. Linear. */
export function findFirstPlaces(messages: readonly Message[]): Map<string, string> {
  const places = new Map<string, string>()
  for (const { parts } of messages) {
    for (const part of parts) {
      for (const bond of listBonds(part))
        if (!places.has(bond.id)) places.set(bond.id, placeOf(part, bond))
    }
  }
  return places
}

/** A part that lost one it belongs to: some of its group stayed as they were. Linear. */
export function findTorn(
  before: readonly Message[],
  after: readonly Message[],
): PartSite | undefined {
  const { groups } = findBondedParts(before)
  if (groups.length === 0) return undefined
  const left: ReadonlySet<Part> = new Set(after.flatMap(({ parts }): readonly Part[] => parts))
  // A part that was clipped has its ids still.
  const names = new Set([...left].flatMap(nameBonds))
  const isGone = ({ part }: PartSite) =>
    !left.has(part) && !nameBonds(part).some((name) => names.has(name))
  for (const group of groups) {
    const stays = group.find(({ part }) => left.has(part))
    if (stays && group.some(isGone)) return stays
  }
  return undefined
}

const nameBonds = (part: Part): string[] =>
  listBonds(part).map((bond) => `${placeOf(part, bond)} ${bond.id}`)

// What called or approved a part comes before it, for any type of part.
const isBackward = (key: string, kind: string): boolean =>
  isCaller(key) ||
  /^approval_?request_?id$/i.test(key) ||
  (kind === 'tool-approval-request' && key === 'toolCallId')

const isCaller = (key: string): boolean => key.startsWith('caller.')

/** The id of their call ties calls and results to parts of other types. */
export function listBonds(part: Part): readonly Bond[] {
  const { bonds = [] } = part
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return bonds
  const key = part.type === 'tool-call' ? 'id' : 'call_id'
  return [{ key, id: part.callId }, ...bonds]
}

const ANSWER = /(?:^|[_-])(?:result|output|response)$|^toolResponse$/
const QUESTION = /(?:^|_)tool_use$|^(?:program|tool-call|toolCall)$/

const RESULT = /(?:^|[_-])(?:result|output)$/

const isResultOf = (part: Part, key: string, { isOwned }: Chain): boolean =>
  isOwned && key !== 'id' && !isCaller(key) && RESULT.test(partKindOf(part))

/** Whether the chain has a carried call or result already. A file may contain a record twice. */
function isRepeated(part: Part, key: string, chain: Chain): boolean {
  if (part.type !== 'opaque') return false
  if (isResultOf(part, key, chain)) return chain.hasResult
  const first = chain.members[0]?.part
  const mayNotRepeat = isOfServer(part) || (QUESTION.test(part.kind) && !chain.isAnswered)
  return mayNotRepeat && first?.type === 'opaque' && first.text === part.text
}

/** Whether it is a call that Anthropic runs itself, or the result of one. */
export const isOfServer = (part: Part): boolean => SERVER_TOOL.test(partKindOf(part))

const SERVER_TOOL = /_tool_(?:use|result)$/

/**
 * The messages of the user whose words end what Anthropic runs. The API joins messages of the user
 * and results to one turn, and words after the results of their turn end nothing. But code that
 * waits for the results takes nothing with them (platform.claude.com/docs, programmatic-tool-calling).
 */
export function findEnds(messages: readonly Message[]): ReadonlySet<number> {
  const ends = new Set<number>()
  let isAfterResults = false
  let isOfCode = false
  messages.forEach(({ role, parts }, index) => {
    if (role === 'user') {
      if (!isAfterResults || isOfCode) ends.add(index)
    } else if (role === 'tool') isAfterResults = true
    else {
      isAfterResults = false
      isOfCode = parts.some(isCalledByCode)
    }
  })
  return ends
}

const isCalledByCode = ({ type, bonds }: Part): boolean =>
  type === 'tool-call' && bonds?.some(({ key }) => isCaller(key)) === true

/** Whether a part that is only carried waits for another part with this id. */
function asksFor(part: Part, id: string): boolean {
  if (part.type !== 'opaque' || !QUESTION.test(part.kind)) return false
  // A program is answered under the id of its call, not under its own.
  const ids = part.bonds?.filter(({ key }) => !isCaller(key)) ?? []
  const named = ids.find(({ key }) => key !== 'id') ?? ids[0]
  return named?.id === id
}

/**
 * The id of a part that does not come before this one. Undefined if this one needs none, or the
 * part is there.
 */
function findLoose(
  part: Part,
  bonds: readonly Bond[],
  open: ReadonlyMap<string, Chain>,
): string | undefined {
  const isThere = ({ id }: Bond) => open.get(id)?.isOwned === true
  const backward = bonds.find(({ key }) => isBackward(key, partKindOf(part)))
  if (backward && !isThere(backward)) return backward.id
  if (part.type !== 'opaque' || !ANSWER.test(part.kind)) return undefined
  const named = bonds.filter(({ key }) => key !== 'id')
  return named.some(isThere) ? undefined : named[0]?.id
}
