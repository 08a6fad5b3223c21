/**
 * Checks what a host passes in before anything uses it. An error names the option, what was found
 * and what is allowed: `RangeError` for an impossible number, `TypeError` for everything else.
 */

/** The allowed values of an option. */
export interface Kind {
  /** The continuation of an error after "Give". */
  readonly allowed: string
  accepts(value: unknown): boolean
  /** For a list: the check of each entry. */
  readonly isEntry?: (entry: unknown) => boolean
  /** Members of an object, checked like options. */
  readonly members?: Kinds
  /** For an object: the required members. */
  readonly needed?: readonly string[]
}

export type Kinds = Readonly<Record<string, Kind>>

/** Undefined options are ignored, except those in `needed`. */
export function checkOptions(
  doing: string,
  options: unknown,
  kinds: Kinds,
  needed: readonly string[] = [],
): void {
  checkValue(doing, 'options', options, anObject)
  checkMembers(doing, '', options as object, kinds, needed)
}

export function checkValue(doing: string, name: string, value: unknown, kind: Kind): void {
  if (!kind.accepts(value)) {
    const message = `${doing}: ${name} is ${describe(value, kind.isEntry)}. Give ${kind.allowed}.`
    throw typeof value === 'number' && isOfNumbers(kind)
      ? new RangeError(message)
      : new TypeError(message)
  }
  if (kind.members)
    checkMembers(doing, `${name}.`, value as object, kind.members, kind.needed ?? [])
}

/** Checks all of them. None may be left out. */
export function checkArguments(doing: string, given: object, kinds: Kinds): void {
  checkMembers(doing, '', given, kinds, Object.keys(kinds))
}

/**
 * The function for callers outside. It checks each argument, in the order of `kinds`. Code inside
 * calls it unchecked, often many times a message.
 */
/* @__NO_SIDE_EFFECTS__ */
export function checking<Call extends (...given: never[]) => unknown>(
  doing: string,
  kinds: Kinds,
  call: Call,
): Call {
  const checked = (...given: never[]) => {
    for (const [at, [name, kind]] of Object.entries(kinds).entries())
      checkValue(doing, name, given[at], kind)
    return call(...given)
  }
  return checked as Call
}

function checkMembers(
  doing: string,
  prefix: string,
  value: object,
  kinds: Kinds,
  needed: readonly string[],
): void {
  const absent = Object.keys(kinds).filter((name) => Reflect.get(value, name) === undefined)
  for (const name of Object.keys(value)) {
    if (name in kinds) continue
    const member: unknown = Reflect.get(value, name)
    const meant = absent.find((known) => isMeant(name, known, kinds[known]?.accepts(member)))
    if (meant === undefined) continue
    throw new TypeError(
      `${doing}: there is no option ${JSON.stringify(`${prefix}${name}`)}. Did you mean "${meant}"?`,
    )
  }
  for (const [name, kind] of Object.entries(kinds)) {
    const member: unknown = Reflect.get(value, name)
    if (member !== undefined || needed.includes(name))
      checkValue(doing, `${prefix}${name}`, member, kind)
  }
}

const LONGEST_NAME = 40

/**
 * Members with other names belong to the host. A name that is almost an option is a mistake: in
 * another case (`budget_tokens`), one letter off, or two letters off in a long name. A short name,
 * the beginning of one (`window` for `windowTokens`) or words before several
 * (`contextWindowTokens`) count only if the value fits the option.
 */
function isMeant(name: string, known: string, isAccepted = false): boolean {
  if (name.length > LONGEST_NAME) return false
  const [a = '', b = ''] = [name, known].map((text) => text.replace(/[_-]/g, '').toLowerCase())
  if (known.length <= SHORT_NAME) return isAccepted && measureDistance(a, b) <= 1
  const before = a.endsWith(b) ? a.slice(0, -b.length) : undefined
  const isLonger = before !== undefined && SEVERAL_WORDS.test(known) && !OPPOSITE.test(before)
  const isPart = (name.length >= 4 && known.startsWith(name)) || isLonger
  return (isAccepted && isPart) || measureDistance(a, b) <= 2
}

const SHORT_NAME = 5
// One word ends many names: `fileSystem`, `responseFormat`.
const SEVERAL_WORDS = /[a-z][A-Z]/
const OPPOSITE = /^(?:non|not?|un|max|min|total)$/

/** Letters to add, remove or replace (Levenshtein), or to swap with their neighbor. */
function measureDistance(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped))
    }
    ;[before, row] = [row, next]
  }
  return row[b.length] ?? 0
}

const isOfNumbers = ({ allowed }: Kind): boolean => allowed.includes('number')

const LONGEST_QUOTE = 60

/** What was found in an option, in an error. */
function describe(value: unknown, isEntry?: Kind['isEntry']): string {
  if (typeof value === 'string')
    return value.length > LONGEST_QUOTE ? 'a long text' : JSON.stringify(value)
  const at = Array.isArray(value) && isEntry ? value.findIndex((entry) => !isEntry(entry)) : -1
  if (Array.isArray(value) && at >= 0) return `a list with ${describe(value[at])} at ${at}`
  return ['boolean', 'number', 'bigint'].includes(typeof value)
    ? String(value)
    : describeType(value)
}

/** What was found in content, which is not quoted. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Plain data, a class, or a proxy: anything with members except a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isNumberFrom = (least: number, value: unknown): boolean =>
  typeof value === 'number' && value >= least

/** Refuses lists with holes. */
const listOf = (allowed: string, isEntry: (entry: unknown) => boolean): Kind => ({
  allowed,
  accepts: (value) => Array.isArray(value) && Array.from(value).every(isEntry),
  isEntry,
})

export const anObject: Kind = { allowed: 'an object', accepts: isObject }
export const aText: Kind = { allowed: 'a text', accepts: (value) => typeof value === 'string' }
export const aName: Kind = {
  allowed: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
}
export const texts = listOf('a list of texts', (entry) => typeof entry === 'string')
export const objects = listOf(
  'a list of objects',
  (entry) => typeof entry === 'object' && entry !== null,
)
export const aFlag: Kind = {
  allowed: 'true or false',
  accepts: (value) => typeof value === 'boolean',
}
export const aFunction: Kind = {
  allowed: 'a function',
  accepts: (value) => typeof value === 'function',
}
export const aSignal: Kind = {
  allowed: 'the signal of an AbortController',
  accepts: (value) => isObject(value) && 'aborted' in value && 'addEventListener' in value,
}
export const aNumber: Kind = {
  allowed: 'a number, 0 or more',
  accepts: (value) => isNumberFrom(0, value),
}
export const aFiniteNumber: Kind = {
  allowed: 'a finite number, 0 or more',
  accepts: (value) => isNumberFrom(0, value) && value !== Infinity,
}
export const aNumberAbove0: Kind = {
  allowed: 'a finite number above 0',
  accepts: (value) => isNumberFrom(0, value) && value !== 0 && value !== Infinity,
}
export const aCount: Kind = {
  allowed: 'a whole number, 0 or more',
  accepts: (value) => isNumberFrom(0, value) && Number.isSafeInteger(value),
}
export const aCountFrom1: Kind = {
  allowed: 'a whole number, 1 or more',
  accepts: (value) => isNumberFrom(1, value) && Number.isSafeInteger(value),
}
export const countsFrom1 = listOf('a list of whole numbers, 1 or more', (entry) =>
  aCountFrom1.accepts(entry),
)
/** Up to 2⁵³ - 1, because larger counts are not exact. */
export const tokens: Kind = {
  allowed: `a number of tokens from 0 to ${Number.MAX_SAFE_INTEGER}`,
  accepts: (value) => isNumberFrom(0, value) && Number(value) <= Number.MAX_SAFE_INTEGER,
}
export const aShare: Kind = {
  allowed: 'a number above 0, up to 1',
  accepts: (value) => isNumberFrom(0, value) && value !== 0 && Number(value) <= 1,
}
export const aShareOrNone: Kind = {
  allowed: 'a number from 0 to 1',
  accepts: (value) => isNumberFrom(0, value) && Number(value) <= 1,
}

export const oneOf = (names: readonly string[]): Kind => ({
  allowed: names.length > 1 ? `one of ${names.join(', ')}` : String(names[0]),
  accepts: (value) => typeof value === 'string' && names.includes(value),
})

/** An object with methods. */
export const withMethods = (what: string, ...names: readonly string[]): Kind => ({
  allowed: `${what}: an object with ${names.join(', ')}`,
  // Static methods count too: `Date` is a clock.
  accepts: (value) =>
    (isObject(value) || typeof value === 'function') &&
    names.every((name) => typeof Reflect.get(value, name) === 'function'),
})

export const aFormat = withMethods('a format', 'parse', 'serialize')

/** An argument that may be left out. */
export const orNothing = (kind: Kind): Kind => ({
  ...kind,
  accepts: (value) => value === undefined || kind.accepts(value),
})

export const objectOf = (members: Kinds, needed: readonly string[] = []): Kind => ({
  ...anObject,
  members,
  needed,
})

/** An object with all of these members. */
export const allOf = (members: Kinds): Kind => objectOf(members, Object.keys(members))

/** An object with exactly one of these members. */
export const oneMember = (members: Kinds, others: Kinds = {}): Kind => ({
  allowed: `an object with one of ${Object.keys(members).join(', ')}`,
  accepts: (value) =>
    isObject(value) &&
    Object.keys(members).filter((name) => Reflect.get(value, name) !== undefined).length === 1,
  members: { ...members, ...others },
})

export const aPart: Kind = {
  allowed: 'a part of a message',
  accepts: (value) => isObject(value) && 'type' in value,
}
const isMessage = (value: unknown): boolean =>
  isObject(value) && 'role' in value && objects.accepts(Reflect.get(value, 'parts'))
export const aMessage: Kind = {
  allowed: 'a message, as parse of a format gives it',
  accepts: isMessage,
}
export const aListOfMessages = listOf(
  'a list of messages, as parse of a format gives it',
  isMessage,
)
export const aConversation: Kind = {
  allowed: 'a conversation, as parse of a format gives it',
  accepts: (value) =>
    isObject(value) &&
    aListOfMessages.accepts(Reflect.get(value, 'messages')) &&
    Array.isArray(Reflect.get(value, 'tools')),
}
