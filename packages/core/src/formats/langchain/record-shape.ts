/**
 * A message of LangChain in any of its shapes. All have the same fields in different places:
 *
 *   new HumanMessage({ content })                                        an instance, as agents hold it
 *   { type: 'human', data: { content } }                                 stored
 *   { lc: 1, type: 'constructor', id: […, 'HumanMessage'], kwargs: { content } }   its own JSON
 *   { role: 'user', content }, { type: 'human', content }                what LangChain makes an instance of
 */
import { describeType } from '../../conversation/check-options.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../shared/json.ts'

/** The names of each kind, as a plain object and as an instance. */
const KINDS = {
  human: { role: 'user', className: 'HumanMessage' },
  ai: { role: 'assistant', className: 'AIMessage' },
  system: { role: 'system', className: 'SystemMessage' },
  tool: { role: 'tool', className: 'ToolMessage' },
  function: { role: 'function', className: 'FunctionMessage' },
}

export type RecordKind = keyof typeof KINDS

const NAMES: ReadonlyMap<unknown, RecordKind> = new Map<unknown, RecordKind>([
  ...(Object.keys(KINDS) as RecordKind[]).flatMap((kind): [string, RecordKind][] => [
    [kind, kind],
    [KINDS[kind].role, kind],
  ]),
  ['developer', 'system'],
])

export interface RecordShape {
  readonly kind: RecordKind
  readonly fields: JsonObject
}

/** Throws `FormatError` for a message with a role that models never get, such as `remove`. */
export function readShape(record: unknown, index: number): RecordShape {
  const fields = readFields(record)
  const kind = findKind(record, fields)
  if (kind !== undefined) return { kind, fields }
  const found = isJsonObject(record)
    ? `type ${toJsonText(readTypeName(record)).slice(0, 60)}`
    : describeType(record)
  throw new FormatError(
    'malformed',
    `Reading langchain: message ${index} has ${found}. Give human, ai, system, tool or function messages.`,
  )
}

/** Whether it is a message of LangChain and of no other format. */
export function isLangChainMessage(record: unknown): boolean {
  if (!isJsonObject(record)) return false
  if (isInstance(record) || isConstructorJson(record) || isStored(record))
    return findKind(record, {}) !== undefined
  return (record.type === 'human' || record.type === 'ai') && 'content' in record
}

/**
 * The JSON of an instance. Leaves out the id that LangChain gives to a message without one, because
 * it differs in every run.
 */
export function withoutGivenId(record: unknown): unknown {
  if (!isJsonObject(record) || !isConstructorJson(record)) return record
  return withMembers(record, { kwargs: withMembers(record.kwargs, { id: undefined }) })
}

export function isMessage(record: JsonObject): boolean {
  return findKind(record, readFields(record)) !== undefined
}

function readFields(record: unknown): JsonObject {
  if (!isJsonObject(record)) return {}
  if (isConstructorJson(record)) return record.kwargs
  return isStored(record) ? record.data : record
}

function findKind(record: unknown, fields: JsonObject): RecordKind | undefined {
  if (!isJsonObject(record)) return undefined
  const name = readTypeName(record)
  // A message of any role, whose name is a field.
  return name === 'generic' ? NAMES.get(readMember(fields, 'role')) : NAMES.get(name)
}

/** `human`, or in JSON the class `HumanMessage` or `HumanMessageChunk`. */
function readTypeName(record: JsonObject): unknown {
  if (isConstructorJson(record)) {
    const name = record.id.at(-1)
    return typeof name === 'string'
      ? name.replace(/Message(?:Chunk)?$/, '').toLowerCase()
      : undefined
  }
  if (typeof record.role === 'string' && record.type === undefined) return record.role
  if (record.type === undefined && typeof record.getType === 'function') return record.getType()
  return record.type ?? record.role
}

/** The same message with other fields. Undefined fields are left out. */
export function withFields(record: unknown, changes: JsonObject): unknown {
  if (!isJsonObject(record)) return record
  if (isConstructorJson(record)) return { ...record, kwargs: withMembers(record.kwargs, changes) }
  if (isStored(record)) return { ...record, data: withMembers(record.data, changes) }
  if (!isInstance(record)) return withMembers(record, changes)
  const own = Object.entries(record).filter(([key]) => !key.startsWith('lc_'))
  const fields = withMembers(Object.fromEntries(own), changes)
  return construct(record, fields) ?? fields
}

/** A message of the class of `instance`. Undefined if it has no class. */
export function construct(instance: object, fields: JsonObject): object | undefined {
  const Message: unknown = Object.getPrototypeOf(instance)?.constructor
  return isConstructor(Message) ? new Message(fields) : undefined
}

function isConstructor(value: unknown): value is new (fields: JsonObject) => object {
  return typeof value === 'function' && value !== Object
}

/**
 * A new message that looks like `sample`. If the sample is an instance, it is an object that
 * LangChain converts to one.
 */
export function createRecord(kind: RecordKind, fields: JsonObject, sample: unknown): JsonObject {
  const carried = { additional_kwargs: {}, response_metadata: {} }
  if (isJsonObject(sample) && isConstructorJson(sample)) {
    const id = [...sample.id.slice(0, -1), KINDS[kind].className]
    return { lc: 1, type: 'constructor', id, kwargs: { ...fields, ...carried } }
  }
  if (isJsonObject(sample) && isStored(sample))
    return { type: kind, data: { ...fields, ...carried } }
  return { role: KINDS[kind].role, ...fields }
}

export function isInstance(record: JsonObject): boolean {
  return typeof record.getType === 'function' || typeof record._getType === 'function'
}

type ConstructorJson = JsonObject & { readonly id: readonly unknown[]; readonly kwargs: JsonObject }

function isConstructorJson(record: JsonObject): record is ConstructorJson {
  return record.lc === 1 && Array.isArray(record.id) && isJsonObject(record.kwargs)
}

type StoredMessage = JsonObject & { readonly data: JsonObject }

function isStored(record: JsonObject): record is StoredMessage {
  return typeof record.type === 'string' && !isInstance(record) && isJsonObject(record.data)
}
