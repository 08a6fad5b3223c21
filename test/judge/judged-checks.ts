/**
 * What `check` finds in a damaged history and what a repair leaves of it, held against the judge.
 */
import { checkInvariants, repairInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import fc from 'fast-check'
import { type JudgedCase, judgedCases, LISTS } from './judged-compression.ts'
import {
  isObject,
  type JsonObject,
  type ProviderRules,
  readList,
  UNFINISHED,
  type Violation,
} from './provider.ts'

/** A history as a crash, a filter or a careless script leaves it. */
export type DamagedCase = Pick<JudgedCase, 'rules' | 'body'>

type Damage = (list: readonly JsonObject[], at: number, share: number) => readonly JsonObject[]

const DAMAGES: readonly Damage[] = [
  (list) => list,
  (list, at) => list.toSpliced(at, 1),
  (list, at) => list.toSpliced(at, 1),
  (list, at, share) => list.with(at, withoutBlock(list[at] ?? {}, share)),
  (list, at) => list.slice(at),
  (list, at) => list.slice(0, at + 1),
  (list, at, share) => list.toSpliced(at, 1).toSpliced(Math.floor(share * list.length), 1),
  (list, at) => list.toSpliced(at, 0, list[at] ?? {}),
  (list, at) => list.toSpliced(at, 2, ...list.slice(at, at + 2).reverse()),
  (list, at) => list.toSpliced(at, 2, ...list.slice(at, at + 2).map(withoutIds)),
  (list, at) => list.with(at, withoutOwnId(list[at] ?? {})),
]

const IDS = new Set(['id', 'tool_use_id', 'call_id', 'tool_call_id'])

/** Without the ids that tie calls to results. */
function withoutIds(message: JsonObject): JsonObject {
  const isCall = Object.keys(message).some((key) => IDS.has(key) && key !== 'id')
  const own = isCall ? strip(message) : message
  return Object.fromEntries(
    Object.entries(own).map(([key, value]) => [
      key,
      BLOCKS.includes(key) && Array.isArray(value)
        ? value.map((block) => (isObject(block) && isTied(block) ? strip(block) : block))
        : value,
    ]),
  )
}

/** An item as a client stores it that leaves the provider's ids out. A reference is nothing else. */
function withoutOwnId({ id, ...item }: JsonObject): JsonObject {
  return item.type === undefined || item.type === 'item_reference' ? { id, ...item } : item
}

// Ids of other parts, such as a file's, stay.
const isTied = ({ type }: JsonObject): boolean =>
  type === 'function' || /(?:^|_)tool_(?:use|result)$/.test(String(type))

const strip = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([key]) => !IDS.has(key)))

// Where an API has the blocks of a message.
const BLOCKS = ['content', 'parts', 'tool_calls']

function withoutBlock(message: JsonObject, share: number): JsonObject {
  const key = BLOCKS.findLast((name) => readList(message[name]).length > 1)
  if (key === undefined) return message
  const blocks = readList(message[key])
  return { ...message, [key]: blocks.toSpliced(Math.floor(share * blocks.length), 1) }
}

export const damagedCases: fc.Arbitrary<DamagedCase> = fc
  .record({
    given: judgedCases,
    damage: fc.constantFrom(...DAMAGES),
    place: fc.noBias(fc.nat(999)),
    share: fc.noBias(fc.nat(999)),
  })
  .map(({ given: { rules, body }, damage, place, share }) => {
    const key = LISTS[rules.name]
    const list = readList(body[key])
    const at = Math.floor((place / 1_000) * list.length)
    return { rules, body: { ...body, [key]: damage(list, at, share / 1_000) } }
  })

const judgeHistory = (rules: ProviderRules, body: JsonObject): Violation[] =>
  rules.judge(body).filter(({ rule }) => !UNFINISHED.has(rule))

/** Where `check` or a repair and the judge disagree. */
export function findDisagreements({ rules, body }: DamagedCase): Violation[] {
  const format = formats[rules.name]
  const conversation = format.parse(body)
  const judged = judgeHistory(rules, body)
  const [checked] = checkInvariants(conversation)
  const repaired = repairInvariants(conversation)
  const written = format.serialize(repaired)
  if (!isObject(written))
    throw new TypeError(`${rules.name} wrote a list where an object was read.`)
  const name = (problem: string, { rule, detail }: Violation) => ({
    rule: `${rules.name}: ${problem}, ${rule}`,
    detail,
  })
  return [
    ...(checked ? [] : judged.map((violation) => name('not found', violation))),
    ...(checked && judged.length === 0 ? [name('found where nothing is', checked)] : []),
    ...judgeHistory(rules, written).map((violation) => name('not repaired', violation)),
    ...checkInvariants(repaired).map((violation) => name('repaired, and found again', violation)),
    ...(checked || repaired === conversation
      ? []
      : [{ rule: `${rules.name}: repaired where nothing is`, detail: '' }]),
  ]
}
