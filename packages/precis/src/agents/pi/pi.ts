import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { formats } from '@precis/core/formats'
import { asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Agent, Environment, PlacementRequest, SessionHead } from '../shared/agent.ts'
import { sumTokens } from '../shared/billed.ts'
import {
  changeDirectory,
  findProjectName,
  listFiles,
  quoteForShell,
  uuidIds,
} from '../shared/session-files.ts'
import {
  readLineHead,
  readLineTimes,
  readLineTitle,
  readLineTokens,
  readPrompt,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readCompactions } from './compactions.ts'
import { findFolder } from './folder.ts'
import { headless } from './headless.ts'
import { findNextModel, installation } from './installation.ts'
import { readRequest, readRequests } from './requests.ts'

// `pi --session-id` accepts an id that the user chose (docs/session-format.md of pi 1.5.2).
const ID = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?'
const SESSION_FILE = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d-]{6,18}Z_(${ID})\\.jsonl$`)

/**
 * `~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl`, or directly in a folder that the user
 * named
 */
export const pi: Agent = {
  name: 'pi',
  title: 'pi',
  format: formats.pi,
  // Has no dot, so that the name of a file never matches.
  ids: { ...uuidIds, whole: new RegExp(`^${ID}$`), beginning: /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/ },
  homeVariables: ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR'],
  findHome: (environment) => findSessionFolder(environment).path,
  list: (environment) =>
    listFiles(findSessionFolder(environment).path, { levels: [0, 1], pattern: SESSION_FILE }),
  readHead: (source) => readLineHead(source, readEntryHead),
  readTitle: (source) =>
    readLineTitle(source, {
      fields: ['"session_info"'],
      read: ({ type, name }) => (type === 'session_info' ? name : undefined),
    }),
  readContextTokens: (source) => readLineTokens(source, ['"usage"', '"compaction"'], countEntry),
  readTimes: readLineTimes,
  readRequests,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  place,
  resume({ sessionId, directory, model }) {
    const named = model === undefined ? '' : ` --model ${quoteForShell(model)}`
    return changeDirectory(directory, `pi --session ${sessionId}${named}`)
  },
  findNextModel,
  installation,
  headless,
}

interface SessionFolder {
  readonly path: string
  /** Whether there is no folder for each project. */
  readonly isFlat: boolean
}

/**
 * `PI_CODING_AGENT_SESSION_DIR`, else `sessionDir` of the settings, else `sessions` in the folder
 * of pi.
 */
function findSessionFolder(environment: Environment): SessionFolder {
  const folder = findFolder(environment)
  const named = environment.PI_CODING_AGENT_SESSION_DIR?.trim() || readSettings(folder)
  if (!named) return { path: resolve(folder, 'sessions'), isFlat: false }
  return { path: resolve(named.replace(/^~(?=$|[\\/])/, homedir)), isFlat: true }
}

function readSettings(folder: string): string | undefined {
  try {
    return asText(parseObject(readInputFile(join(folder, 'settings.json')))?.sessionDir)?.trim()
  } catch {
    // Most users have no settings file.
    return undefined
  }
}

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  if (entry.type === 'session')
    return { sessionId: asText(entry.id), workingDirectory: asText(entry.cwd) }
  const message = asObject(entry.message)
  return message?.role === 'user' ? { firstPrompt: readPrompt(message.content) } : {}
}

function countEntry(entry: JsonObject): number | undefined {
  if (entry.type === 'compaction') return undefined
  const request = readRequest(entry)
  return request ? sumTokens(request) : 0
}

function place(request: PlacementRequest): string {
  const { path, isFlat } = findSessionFolder(request.environment)
  const folder = isFlat ? '' : findProjectName(path, request, nameFolder)
  return join(
    path,
    folder,
    `${request.time.toISOString().replace(/[:.]/g, '-')}_${request.sessionId}.jsonl`,
  )
}

function nameFolder(directory: string): string {
  return `--${directory.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}
