/**
 * The facts of a session as one line of text. Its parts are parsed when they are asked for: there
 * are hundreds of requests in a session, and most commands need their sum alone.
 *
 *   {"id":…,"project":…}⇥{"total":…,"models":[…]}⇥"first prompt"⇥keys of the requests⇥[[model, …], …]
 */
import type { SessionFacts } from './session-facts.ts'

/** Never contains a line feed. */
export type PackedFacts = string

// JSON never contains a tab as it is.
const SEPARATOR = '\t'
const NO_KEY = ' '

type PackedRow = readonly [
  model: number,
  timeMs: number | null,
  input: number,
  cacheWrite: number,
  cacheRead: number,
  output: number,
  dollars: number | null,
  isOutputCounted: 0 | 1,
]

type Listed = Pick<SessionFacts, 'id' | 'title' | 'project' | 'contextTokens'>

type PackedHead = Omit<SessionFacts, keyof Listed | 'requests' | 'keys' | 'firstPrompt'> & {
  readonly models: readonly string[]
}

export function packFacts({ requests, keys, firstPrompt, ...facts }: SessionFacts): PackedFacts {
  const { id, title, project, contextTokens, ...others } = facts
  const listed: Listed = { id, title, project, contextTokens }
  const models = [...new Set(requests.map(({ model }) => model))]
  const places = new Map(models.map((model, place) => [model, place]))
  const rows = requests.map(
    (one): PackedRow => [
      places.get(one.model) ?? 0,
      one.timeMs ?? null,
      one.input,
      one.cacheWrite,
      one.cacheRead,
      one.output,
      one.dollars ?? null,
      one.isOutputCounted ? 1 : 0,
    ],
  )
  const head: PackedHead = { ...others, models }
  return [
    JSON.stringify(listed),
    JSON.stringify(head),
    JSON.stringify(firstPrompt ?? null),
    keys.map((key) => key ?? NO_KEY).join(','),
    JSON.stringify(rows),
  ].join(SEPARATOR)
}

/** `bytes` are packed facts in UTF-8. */
export const unpackFacts = (bytes: Buffer): SessionFacts => new UnpackedFacts(bytes)

/** A list makes thousands of them and reads little of each, so none has functions of its own. */
class UnpackedFacts implements SessionFacts {
  readonly id: string
  readonly title: string | undefined
  readonly project: string | undefined
  readonly contextTokens: number | undefined
  readonly #bytes: Buffer
  readonly #end: number
  #knownRest: readonly string[] | undefined
  #knownHead: PackedHead | undefined
  #knownKeys: SessionFacts['keys'] | undefined
  #knownRequests: SessionFacts['requests'] | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#end = bytes.indexOf(SEPARATOR)
    const listed: Listed = JSON.parse(bytes.toString('utf8', 0, this.#end))
    this.id = listed.id
    this.title = listed.title
    this.project = listed.project
    this.contextTokens = listed.contextTokens
  }

  get #rest() {
    this.#knownRest ??= this.#bytes.toString('utf8', this.#end + 1).split(SEPARATOR)
    return this.#knownRest
  }

  get #head(): PackedHead {
    this.#knownHead ??= JSON.parse(this.#rest[0] ?? '') as PackedHead
    return this.#knownHead
  }

  get startMs() {
    return this.#head.startMs
  }

  get total() {
    return this.#head.total
  }

  get sums() {
    return this.#head.sums
  }

  get compactions() {
    return this.#head.compactions
  }

  get isBrief() {
    return this.#head.isBrief
  }

  get firstPrompt(): string | undefined {
    return JSON.parse(this.#rest[1] ?? '') ?? undefined
  }

  get keys() {
    this.#knownKeys ??= unpackKeys(this.#rest[2] ?? '')
    return this.#knownKeys
  }

  get requests() {
    this.#knownRequests ??= unpackRows(
      JSON.parse(this.#rest[3] ?? ''),
      this.#head.models,
      this.keys,
    )
    return this.#knownRequests
  }
}

const unpackKeys = (joined: string): SessionFacts['keys'] =>
  joined === '' ? [] : joined.split(',').map((key) => (key === NO_KEY ? undefined : key))

function unpackRows(
  rows: readonly PackedRow[],
  models: readonly string[],
  keys: SessionFacts['keys'],
): SessionFacts['requests'] {
  return rows.map((row, index) => {
    const [model, timeMs, input, cacheWrite, cacheRead, output, dollars, counted] = row
    return {
      key: keys[index],
      model: models[model] ?? '',
      timeMs: timeMs ?? undefined,
      input,
      cacheWrite,
      cacheRead,
      output,
      tokens: input + cacheWrite + cacheRead + output,
      dollars: dollars ?? undefined,
      ...(counted === 1 && { isOutputCounted: true }),
    }
  })
}
