/** What OpenCode wants to know of a message beside its words: taken from the records that are there. */
import { type JsonObject, readMember } from '../json/object.ts'
import { isUserRecord, readString, type SessionRecord } from './records.ts'

export interface RecordDefaults {
  /** Milliseconds since 1970, for a record that stands before all others. */
  readonly timeMs: number
  /** The `info` of a new record, without its id. */
  createUser(timeMs: number): JsonObject
  createAssistant(timeMs: number): JsonObject
  /** What older versions did not write into a record of theirs, and this one wants to see. */
  findMissing(info: JsonObject): JsonObject
}

const ASKED_OF_USERS = ['agent', 'model']
const ASKED_OF_ANSWERS = ['agent', 'mode', 'path', 'cost', 'tokens', 'modelID', 'providerID']

export const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

export function createDefaults(session: unknown, records: readonly SessionRecord[]): RecordDefaults {
  const user = records.findLast(isUserRecord)?.info
  const assistant = records.findLast((record) => !isUserRecord(record))?.info
  const sessionID = readMember(session, 'id')
  const used = readMember(session, 'model')
  const providerID = readString(assistant, 'providerID') ?? readString(used, 'providerID') ?? ''
  const modelID = readString(assistant, 'modelID') ?? readString(used, 'id') ?? ''
  const agent = readString(user, 'agent') ?? readString(session, 'agent') ?? 'build'
  const directory = readString(session, 'directory') ?? '/'
  const firstTime = readMember(records[0]?.info.time ?? readMember(session, 'time'), 'created')
  const createUser = (timeMs: number): JsonObject => ({
    role: 'user',
    time: { created: timeMs },
    agent,
    model: user?.model ?? { providerID, modelID },
    sessionID,
  })
  const createAssistant = (timeMs: number): JsonObject => ({
    parentID: readString(user, 'id') ?? 'msg_000000000000',
    role: 'assistant',
    mode: readString(assistant, 'mode') ?? agent,
    agent,
    path: assistant?.path ?? { cwd: directory, root: directory },
    cost: 0,
    tokens: NO_TOKENS,
    modelID,
    providerID,
    time: { created: timeMs, completed: timeMs },
    finish: 'stop',
    sessionID,
  })
  return {
    timeMs: typeof firstTime === 'number' ? firstTime : 0,
    createUser,
    createAssistant,
    findMissing: (info) => {
      const isUser = info.role === 'user'
      const whole = isUser ? createUser(0) : { ...createAssistant(0), agent: info.mode ?? agent }
      const asked = isUser ? ASKED_OF_USERS : ASKED_OF_ANSWERS
      const missing = asked.filter((key) => readMember(info, key) === undefined)
      return Object.fromEntries(missing.map((key) => [key, readMember(whole, key)]))
    },
  }
}
