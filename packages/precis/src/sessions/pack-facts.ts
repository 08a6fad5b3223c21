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
export function unpackFacts(bytes: Buffer): SessionFacts {
  const end = bytes.indexOf(SEPARATOR)
  const { id, title, project, contextTokens }: Listed = JSON.parse(bytes.toString('utf8', 0, end))
  const readRest = once(() => bytes.toString('utf8', end + 1).split(SEPARATOR))
  const readHead = once((): PackedHead => JSON.parse(readRest()[0] ?? ''))
  const readKeys = once((): SessionFacts['keys'] => {
    const joined = readRest()[2] ?? ''
    return joined === '' ? [] : joined.split(',').map((key) => (key === NO_KEY ? undefined : key))
  })
  const readRequests = once(() =>
    unpackRows(JSON.parse(readRest()[3] ?? ''), readHead().models, readKeys()),
  )
  return {
    id,
    title,
    project,
    contextTokens,
    get startMs() {
      return readHead().startMs
    },
    get total() {
      return readHead().total
    },
    get sums() {
      return readHead().sums
    },
    get compactions() {
      return readHead().compactions
    },
    get isBrief() {
      return readHead().isBrief
    },
    get firstPrompt() {
      return JSON.parse(readRest()[1] ?? '') ?? undefined
    },
    get keys() {
      return readKeys()
    },
    get requests() {
      return readRequests()
    },
  }
}

function once<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}

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
