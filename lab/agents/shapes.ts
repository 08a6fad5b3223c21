/**
 * What a document is made of, without its words: kinds of records, and the paths of their fields.
 *
 *   {"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}
 *   user    message  message.content  message.content[text]  message.content[text].text  message.role  type
 */
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
} from '../../packages/core/src/formats/shared/json.ts'

/** By kind of record, the paths of its fields, sorted. */
export type Shapes = Readonly<Record<string, readonly string[]>>

/** What belongs to a tool, a user or a name, not to the agent: these are not looked into. */
const FOREIGN = new Set([
  'arguments',
  'args',
  'input',
  'input_schema',
  'parameters',
  'parametersJsonSchema',
  'schema',
  'toolUseResult',
  'response',
  'structuredContent',
  'details',
  'metadata',
  'tools',
  'toolsAdded',
  'dynamic_tools',
  'modelUsage',
  'trackedFileBackups',
  'answers',
])
const FIELD_NAME = /^[A-Za-z_$][\w$]{0,39}$/
const MOST_DEPTH = 8

export function describeRecords(records: readonly unknown[]): Shapes {
  const found = new Map<string, Set<string>>()
  for (const record of records) {
    if (!isJsonObject(record)) continue
    const kind = nameRecord(record)
    const paths = found.get(kind) ?? new Set()
    found.set(kind, paths)
    addPaths(record, '', paths, 0)
  }
  return toShapes(found)
}

export function mergeShapes(...all: readonly Shapes[]): Shapes {
  const merged = new Map<string, Set<string>>()
  for (const [kind, paths] of all.flatMap((shapes) => Object.entries(shapes))) {
    merged.set(kind, new Set([...(merged.get(kind) ?? []), ...paths]))
  }
  return toShapes(merged)
}

/** The kinds and fields of `found` that `known` has not; of a new kind all. */
export function findUnknown(found: Shapes, known: Shapes): Shapes {
  const unknown = Object.entries(found).map(([kind, paths]): [string, readonly string[]] => {
    const before = new Set(known[kind])
    return [kind, paths.filter((path) => !before.has(path))]
  })
  return Object.fromEntries(
    unknown.filter(([kind, paths]) => paths.length > 0 || !Object.hasOwn(known, kind)),
  )
}

function toShapes(found: ReadonlyMap<string, ReadonlySet<string>>): Shapes {
  return Object.fromEntries(
    [...found].toSorted(([a], [b]) => compare(a, b)).map(([kind, paths]) => [kind, sort(paths)]),
  )
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const sort = (paths: ReadonlySet<string>) => [...paths].toSorted(compare)

/**
 * Its type, and the type or the role of what is in it: `attachment/skill_listing`,
 * `response_item/message/user`.
 */
function nameRecord(record: JsonObject): string {
  const inner = ['attachment', 'payload', 'message', 'info', 'item', '$set']
    .map((key) => readMember(record, key))
    .find(isJsonObject)
  const names = [
    record.type ?? Object.keys(record)[0],
    record.subtype,
    readString(inner, 'type'),
    readString(inner, 'role'),
  ]
  return [...new Set(names.filter((name) => typeof name === 'string'))].join('/')
}

function addPaths(value: unknown, path: string, paths: Set<string>, depth: number): void {
  if (depth > MOST_DEPTH) return
  if (Array.isArray(value)) {
    for (const element of value)
      if (isJsonObject(element))
        addPaths(element, `${path}[${nameElement(element)}]`, paths, depth + 1)
    return
  }
  if (!isJsonObject(value)) return
  if (path.endsWith(']')) paths.add(path)
  for (const [key, member] of Object.entries(value)) {
    const name = FIELD_NAME.test(key) ? key : '*'
    const next = path === '' ? name : `${path}.${name}`
    paths.add(next)
    if (!FOREIGN.has(name)) addPaths(member, next, paths, depth + 1)
  }
}

function nameElement(element: JsonObject): string {
  return [readString(element, 'type'), readString(element, 'role')]
    .filter((name) => name !== undefined)
    .join(':')
}
