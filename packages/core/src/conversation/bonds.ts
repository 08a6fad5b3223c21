/**
 * Finds parts of any type that belong together, because one contains the id of the other. The
 * best-known case is a call and its result. What a provider runs itself, requires approval for or
 * calls from code is tied the same way. Future types are covered too.
 *
 *   server_tool_use  id: s1
 *   tool_use         id: t1          caller: { tool_id: s1 }
 *   tool_result      tool_use_id: t1
 *   code_execution_tool_result       tool_use_id: s1
 *
 * A key need not be called an id. A short value of a part that is the id of another one names it too:
 *
 *   grant   id: L1
 *   revoke  of: { lease: L1 }
 */
import { addTo } from './lists.ts'
import type { Bond, Message, Part } from './message.ts'
import {
  isAnswer,
  isCaller,
  isOfServer,
  listBonds,
  listMentions,
  listTags,
  partKindOf,
  placeOf,
} from './read-ties.ts'

/** A part by its position. */
export interface PartSite {
  readonly message: number
  readonly part: Part
}

/** A part, and why it cannot stay as it is. */
export interface BrokenBond extends PartSite {
  readonly id: string
  /**
   * `unanswered`: what it asks for never came. `loose`: what it names does not come before it.
   * `repeated`: the same part comes before it.
   */
  readonly problem: 'unanswered' | 'loose' | 'repeated'
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
  const found = messages.some(({ parts }) =>
    parts.some((part: Part) => part.bonds ?? part.mentions),
  )
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
  /** The first part under whose bonds it is. Parts that only mention the id may come before it. */
  readonly first: PartSite
  readonly members: PartSite[]
  readonly id: string
  /** Whether its first part has the id as its own, and does not only name it. */
  readonly isOwned: boolean
  isAnswered: boolean
  hasResult: boolean
}

function findGroups(messages: readonly Message[]): BondedParts {
  const grouping = new Grouping(listIds(messages))
  messages.forEach(({ parts }, message) => {
    for (const part of parts) grouping.read({ message, part })
  })
  return grouping.finish()
}

/** Reads the parts in their order, and knows of each id what has named it so far. */
class Grouping {
  /** Every id: what else is mentioned ties nothing. */
  readonly #ids: ReadonlySet<string>
  readonly #open = new Map<string, Chain>()
  readonly #chains: Chain[] = []
  readonly #broken: BrokenBond[] = []
  /** Adjacent references, with the results after them that have no call here. */
  readonly #stored: PartSite[][] = []
  #references: PartSite[] = []
  #isListing = false
  #firstReference = Infinity
  readonly #answers = new Set<Part>()
  /** The parts that mention an id before the part that has it. */
  readonly #early = new Map<string, PartSite[]>()
  readonly #answered = new Answered()

  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids
  }

  read(site: PartSite): void {
    const { part } = site
    const bonds = listBonds(part)
    this.#readReference(site)
    const repeated = bonds.filter((bond) => this.#readBond(site, bond)).at(-1)?.id
    const mentions = listMentions(part, bonds).filter(({ id }) => this.#ids.has(id))
    for (const { id } of mentions) this.#readMention(site, id)
    if (mentions.length === 0) this.#answered.read(site)
    const loose = findLoose(part, bonds, this.#open)
    if (loose !== undefined) this.#broken.push({ ...site, id: loose, problem: 'loose' })
    else if (repeated !== undefined)
      this.#broken.push({ ...site, id: repeated, problem: 'repeated' })
  }

  /** The provider has the calls that are only named here. Their results come after them. */
  #readReference(site: PartSite): void {
    const { message, part } = site
    const isReference = partKindOf(part) === 'item_reference'
    if (isReference) {
      this.#firstReference = Math.min(this.#firstReference, message)
      if (!this.#isListing) this.#references = []
      this.#references.push(site)
    } else if (
      part.type === 'tool-result' &&
      this.#references.length > 0 &&
      !this.#open.has(part.callId)
    ) {
      this.#references.push(site)
      this.#answers.add(part)
      if (this.#stored.at(-1) !== this.#references) this.#stored.push(this.#references)
    }
    this.#isListing = isReference
  }

  /** Returns whether the part was there before. */
  #readBond(site: PartSite, bond: Bond): boolean {
    const { part } = site
    const { key, id } = bond
    const chain = this.#open.get(id)
    const beginning = placeOf(part, bond)
    const repeats = chain !== undefined && isRepeated(part, key, chain)
    if (chain && isResultOf(part, key, chain)) {
      if (!chain.hasResult) this.#answers.add(part)
      chain.hasResult = true
    }
    if (!chain || chain.beginning === beginning) {
      const isOwned = !isBackward(key, partKindOf(part)) && (key === 'id' || !isAnswer(part))
      const members = [...(this.#early.get(id) ?? []), site]
      this.#early.delete(id)
      const state = { isOwned, isAnswered: false, hasResult: false }
      const begun = { beginning, id, first: site, members, ...state }
      this.#open.set(id, begun)
      this.#chains.push(begun)
    } else {
      if (chain.members.at(-1)?.part !== part) chain.members.push(site)
      chain.isAnswered ||= chain.first.part !== part && !isCaller(key)
    }
    return repeats
  }

  #readMention(site: PartSite, id: string): void {
    const { part } = site
    const chain = this.#open.get(id)
    if (!chain) addTo(this.#early, id, site)
    else if (chain.members.at(-1)?.part !== part) {
      chain.members.push(site)
      chain.isAnswered ||= isAnswer(part)
    }
  }

  finish(): BondedParts {
    for (const { first, id, isAnswered } of this.#chains) {
      if (!isAnswered && asksFor(first.part, id))
        this.#broken.push({ ...first, id, problem: 'unanswered' })
    }
    const groups = [
      ...this.#chains.flatMap((chain) => (isTying(chain) ? [chain.members] : [])),
      ...this.#stored,
      ...this.#answered.pairs,
    ]
    return {
      groups,
      tied: new Set(groups.flatMap((group) => group.map(({ part }) => part))),
      answers: this.#answers,
      broken: this.#broken,
      firstReference: this.#firstReference,
    }
  }
}

/** Other rules pair a call with its result, and know the order of results. */
function isTying({ members, id }: Chain): boolean {
  const names = (bonds: readonly Bond[] = []) => bonds.some((bond) => bond.id === id)
  const isKnown = ({ part }: PartSite) =>
    (part.type === 'tool-call' || part.type === 'tool-result') &&
    !names(part.bonds) &&
    !names(part.mentions)
  return members.length > 1 && !members.every(isKnown)
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
  const ids = listIds(before)
  const nameBonds = (part: Part): string[] =>
    [...listBonds(part), ...(part.mentions ?? []).filter(({ id }) => ids.has(id))].map(
      (bond) => `${placeOf(part, bond)} ${bond.id}`,
    )
  const names = new Set([...left].flatMap(nameBonds))
  const isGone = ({ part }: PartSite) =>
    !left.has(part) && !nameBonds(part).some((name) => names.has(name))
  for (const group of groups) {
    const stays = group.find(({ part }) => left.has(part))
    if (stays && group.some(isGone)) return stays
  }
  return undefined
}

// What called or approved a part comes before it, for any type of part.
const isBackward = (key: string, kind: string): boolean =>
  isCaller(key) ||
  /^approval_?request_?id$/i.test(key) ||
  (kind === 'tool-approval-request' && key === 'toolCallId')

/** Every id that a part has or names as one. */
const listIds = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part: Part) => listBonds(part).map(({ id }) => id)),
    ),
  )

/**
 * An answer of an unknown type that names no id at all, with the newest part before it that has one
 * of its values under the same key:
 *
 *   x_grant   lease: L1
 *   x_result  for: { lease: L1 }
 */
class Answered {
  readonly pairs: PartSite[][] = []
  /** The newest part of an unknown type with a value. */
  readonly #holders = new Map<string, PartSite>()

  read(site: PartSite): void {
    const tags = listTags(site.part)
    if (isAnswer(site.part)) {
      const holder = tags.flatMap(({ id }) => this.#holders.get(id) ?? [])[0]
      if (holder) this.pairs.push([holder, site])
    } else for (const { id } of tags) this.#holders.set(id, site)
  }
}

// OpenAI requires a decision about a call like the output of one (`ResponseSteerRequiredInput` of
// `openai` 7.57).
const QUESTION = /(?:^|_)tool_use$|^(?:program|tool-call|toolCall|mcp_approval_request)$/

const RESULT = /(?:^|[_-])(?:result|output)$/

const isResultOf = (part: Part, key: string, { isOwned }: Chain): boolean =>
  isOwned && key !== 'id' && !isCaller(key) && RESULT.test(partKindOf(part))

/** Whether the chain has a carried call or result already. A file may contain a record twice. */
function isRepeated(part: Part, key: string, chain: Chain): boolean {
  if (part.type !== 'opaque') return false
  if (isResultOf(part, key, chain)) return chain.hasResult
  const first = chain.first.part
  const mayNotRepeat = isOfServer(part) || (QUESTION.test(part.kind) && !chain.isAnswered)
  return mayNotRepeat && first.type === 'opaque' && first.text === part.text
}

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
  if (part.type !== 'opaque' || !isAnswer(part)) return undefined
  const named = bonds.filter(({ key }) => key !== 'id')
  return named.some(isThere) ? undefined : named[0]?.id
}
