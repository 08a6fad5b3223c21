/**
 * Names lists by their content, as a follower compares it: a running hash over the messages from
 * the first on, without cache marks. Only the number of leading system messages counts, because
 * hosts write the time into them.
 *
 *   messages   system   a          b              c
 *   names               seed+a ──► seed+a+b ────► seed+a+b+c       each a hash of the one before and of one message
 */
import { readPlain, toComparable, withoutCacheMarks } from '../context/same-content.ts'

/**
 * Names a text in a few characters, without collisions that anyone could make on purpose. A
 * collision would put the summary of one list into the other. It is SHA-256 in any notation, and
 * the same for every process with the same store.
 */
export type Hash = (text: string) => string | Promise<string>

/**
 * SHA-256 of the platform, in hexadecimal digits. Every server has it, and every page that came
 * over HTTPS. Rejects on other platforms.
 */
export const sha256: Hash = async (text) => {
  const bytes = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
  )
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Hashes each message once, for all lists that have it. */
export class MessageHashes {
  readonly hash: Hash
  readonly #known = new WeakMap<object, string>()

  constructor(hash: Hash) {
    this.hash = hash
  }

  async find(message: object): Promise<string> {
    let known = this.#known.get(message)
    if (known === undefined) {
      known = await this.hash(renderContent(toComparable(withoutCacheMarks(message))))
      this.#known.set(message, known)
    }
    return known
  }
}

/** The names of one list, which only grows. */
export class ListChain {
  readonly #hashes: MessageHashes
  readonly #messages: readonly object[]
  readonly #first: number
  readonly #seed: readonly unknown[]
  readonly #names: string[] = []
  /**
   * Each step begins after the step before has ended, even if no caller waits for that step any
   * more.
   */
  #extending: Promise<void> = Promise.resolve()

  /** `seed` is everything except the messages that makes two lists different. */
  constructor(
    hashes: MessageHashes,
    messages: readonly object[],
    systemCount: number,
    seed: readonly unknown[],
  ) {
    this.#hashes = hashes
    this.#messages = messages
    this.#first = systemCount
    this.#seed = [...seed, systemCount]
  }

  /** How many messages the shortest list has that has a name. */
  get shortest(): number {
    return this.#first + 1
  }

  /** Makes the names of all beginnings of up to `count` messages. */
  async extend(count: number): Promise<void> {
    const extended = this.#extending.then(() => this.#extend(count))
    this.#extending = extended.catch(() => undefined)
    await extended
  }

  async #extend(count: number): Promise<void> {
    if (this.#names.length === 0)
      this.#names.push(await this.#hashes.hash(renderContent(this.#seed)))
    for (const message of this.#messages.slice(this.#first + this.#names.length - 1, count)) {
      const own = await this.#hashes.find(message)
      this.#names.push(await this.#hashes.hash(`${this.#names.at(-1)} ${own}`))
    }
  }

  /**
   * Names of the list's first `count` messages: at least `shortest`, and no more than it was
   * extended to.
   */
  name(count: number): string {
    const name = this.#names[count - this.#first]
    if (name === undefined || count < this.shortest) {
      throw new RangeError(
        `Naming a list of ${count} messages: names are there for ${this.#first + this.#names.length - 1}. This is a bug in precis.`,
      )
    }
    return name
  }
}

/**
 * One text for all values that `isSameContent` treats as the same, and for no others. Members are
 * in the order of their names, without undefined ones. Values can be of any depth.
 */
export function renderContent(value: unknown): string {
  const pieces: string[] = []
  const waiting: (TextPiece | NestedValue)[] = [{ value }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('piece' in next) {
      pieces.push(next.piece)
      continue
    }
    const plain = readPlain(next.value)
    if (typeof plain !== 'object' || plain === null) pieces.push(renderSimple(plain))
    else if (ArrayBuffer.isView(plain))
      pieces.push(
        `bytes ${new Uint8Array(plain.buffer, plain.byteOffset, plain.byteLength).join()};`,
      )
    else {
      const isList = Array.isArray(plain)
      pieces.push(isList ? '[' : '{')
      waiting.push({ piece: isList ? ']' : '}' })
      const members = isList
        ? Array.from(plain, (value: unknown) => ({ value }))
        : listMembers(plain)
      for (const member of members.reverse()) waiting.push(member)
    }
  }
  return pieces.join('')
}

interface TextPiece {
  readonly piece: string
}

interface NestedValue {
  readonly value: unknown
}

function listMembers(value: object): (TextPiece | NestedValue)[] {
  const members: (TextPiece | NestedValue)[] = []
  for (const key of Object.keys(value).sort()) {
    const member: unknown = Reflect.get(value, key)
    if (member !== undefined) members.push({ piece: `${JSON.stringify(key)}:` }, { value: member })
  }
  return members
}

/** Each ends with a character that is not in it, so that two of them are never one other. */
function renderSimple(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return `${Object.is(value, -0) ? '-0' : String(value)};`
}
