/**
 * The facts of a session as one line of text. Its parts are parsed when they are asked for: there
 * are hundreds of requests in a session, and most commands need their sum alone.
 *
 *   {"id":…,"models":[…]}⇥"first prompt"⇥keys of the requests⇥[[key, model, …], …]
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

type PackedHead = Omit<SessionFacts, 'requests' | 'keys' | 'firstPrompt'> & {
  readonly models: readonly string[]
}

export function packFacts({ requests, keys, firstPrompt, ...facts }: SessionFacts): PackedFacts {
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
  const head: PackedHead = { ...facts, models }
  return [
    JSON.stringify(head),
    JSON.stringify(firstPrompt ?? null),
    keys.map((key) => key ?? NO_KEY).join(','),
    JSON.stringify(rows),
  ].join(SEPARATOR)
}

export function unpackFacts(packed: PackedFacts): SessionFacts {
  const [head = '', prompt = '', joined = '', rows = ''] = packed.split(SEPARATOR)
  const { models, ...facts }: PackedHead = JSON.parse(head)
  let keys: SessionFacts['keys'] | undefined
  let requests: SessionFacts['requests'] | undefined
  const listKeys = () => {
    keys ??= joined === '' ? [] : joined.split(',').map((key) => (key === NO_KEY ? undefined : key))
    return keys
  }
  return {
    ...facts,
    get firstPrompt() {
      return JSON.parse(prompt) ?? undefined
    },
    get keys() {
      return listKeys()
    },
    get requests() {
      requests ??= unpackRows(JSON.parse(rows), models, listKeys())
      return requests
    },
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
