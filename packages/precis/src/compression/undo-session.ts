/**
 * Returns to the original of a compressed session.
 *
 *   nothing was added ─► the original itself, restored if its file is gone
 *   something was     ─► a new session: the whole original, then everything that was added
 */
import {
  type ConversionLoss,
  convertConversation,
  type Growth,
  joinSessions,
  type NewSession,
} from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'
import {
  type ArchivedCompression,
  forgetCompression,
  listGenerations,
  repeatEntry,
} from '../archive/compressions.ts'
import type { Database } from '../database/database.ts'
import { CompressionError, DatabaseError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { isAtHome, locateStored } from '../sessions/find-sessions.ts'
import { type Damage, type LoadedSession, toDamageJson } from '../sessions/load-session.ts'
import { placeSession } from '../sessions/place-session.ts'
import { chooseDestination, createNewSession, writeSession } from './destination.ts'
import {
  countWritten,
  findAdded,
  findFormat,
  findOriginal,
  type OriginalSession,
  type OriginalState,
  openCompressed,
} from './find-original.ts'
import type { Destination, NewResult, Ports } from './ports.ts'
import {
  findObstacle,
  keepOtherRecords,
  type Removal,
  removeCompressed,
} from './remove-compressed.ts'

export interface UndoRequest {
  /** A file, or `-` for standard output. By default where its agent finds it. */
  readonly out?: string
  readonly dryRun?: boolean
  readonly json?: boolean
  /** Removes the compressed session if everything in it is also somewhere else. */
  readonly remove?: boolean
}

export interface UndoPorts extends Pick<Ports, 'write'> {
  readonly database: Database
  /** Quota of the archive, for records that are in no other session. */
  readonly quotaBytes: number
  /** By default every agent that precis knows. */
  readonly agents?: readonly Agent[]
  /** Gets the compressed session in its present state, before anything is done. */
  readonly onLoaded: (session: LoadedSession) => void
}

/**
 * `original`: the original continues. `put-back`: its file was missing and was restored. `joined`:
 * a new session, with what was added.
 */
type UndoAction = 'original' | 'put-back' | 'joined'

export interface UndoneSession extends Removal {
  /** Name of the archive's entry. */
  readonly entry: string
  readonly action: UndoAction
  readonly isDryRun: boolean
  readonly state: OriginalState
  /** Path of the compressed session. Undefined if it is gone. */
  readonly input: string | undefined
  /** Path of the session to continue. Undefined for standard output. */
  readonly output: string | undefined
  readonly format: string
  readonly agentName: string | undefined
  readonly originalMessages: number
  readonly addedMessages: number
  /** Whether the added records were kept one by one. */
  readonly keepsRecords: boolean
  readonly bytes: number
  readonly losses: readonly ConversionLoss[]
  readonly resumeCommand: string | undefined
  /**
   * The archive's entry with the removed session, if it had records that are not in the new
   * session.
   */
  readonly keptAs?: string
  /** Damage of the compressed session, if any. */
  readonly damage?: Damage
}

/** `name` is the session as the user named it, and `entry` the compression that made it. */
export async function undoSession(
  name: string,
  entry: ArchivedCompression,
  request: UndoRequest,
  ports: UndoPorts,
): Promise<UndoneSession> {
  const original = await findOriginal(ports.database, entry, findFormat(entry), ports.agents)
  const grown = await openCompressed(name, entry, ports.agents)
  if (grown) ports.onLoaded(grown)
  try {
    const growth: Growth = grown
      ? findAdded(entry, original.session.conversation, grown)
      : { messages: [] }
    const { sessionId, ...written } =
      grown && growth.messages.length > 0
        ? await writeJoined(original, entry, { session: grown, growth }, request, ports)
        : await writeOriginal(original, entry, request, ports)
    const undone: UndoneSession = {
      entry: entry.name,
      isDryRun: request.dryRun === true,
      state: original.state,
      input: grown?.document.path,
      format: original.session.format.name,
      agentName: original.session.agent?.title,
      originalMessages: original.session.conversation.messages.length,
      addedMessages: growth.messages.length,
      removed: false,
      notRemoved: undefined,
      ...(grown && toDamageJson(grown)),
      ...written,
    }
    if (!request.remove) return undone
    const obstacle = grown && findObstacle(entry, grown, original, growth, undone)
    if (obstacle !== undefined) return { ...undone, notRemoved: obstacle }
    const keptAs =
      grown && !request.dryRun
        ? await keepOtherRecords(entry, grown, growth, { sessionId, path: undone.output }, ports)
        : undefined
    return {
      ...undone,
      ...(keptAs !== undefined && { keptAs }),
      ...removeCompressed(grown, request),
    }
  } finally {
    grown?.document.close()
  }
}

interface Written
  extends Pick<
    UndoneSession,
    'action' | 'output' | 'bytes' | 'keepsRecords' | 'losses' | 'resumeCommand'
  > {
  /** Of the session to continue. */
  readonly sessionId: string | undefined
}

/**
 * The original may itself come from a session that was compressed. Then the new session comes from
 * there too. Nothing is written if that cannot be noted.
 */
async function writeLinked(
  entry: ArchivedCompression,
  result: NewResult & Pick<LoadedSession, 'conversation'>,
  { database, write }: UndoPorts,
): Promise<number> {
  const { newSession, destination } = result
  const [, origin] = await listGenerations(database, entry)
  if (!newSession || !('path' in destination) || !origin || origin.damaged)
    return await writeSession(result, write)
  const { sessionId } = newSession
  const path = findRealPath(destination.path)
  const resultMessages = countWritten(origin, result.session)
  const link = await repeatEntry(database, origin, { sessionId, path, resultMessages }).catch(
    ignoreReadOnly,
  )
  try {
    return await writeSession(result, write)
  } catch (error) {
    if (link !== undefined) await forgetCompression(database, link)
    throw error
  }
}

/** From an archive that cannot be written, nothing is collected either. */
function ignoreReadOnly(error: unknown): undefined {
  if (!(error instanceof DatabaseError && error.code === 'not-permitted')) throw error
}

/** The original itself, or its file restored. With `--out`, a file of that name. */
async function writeOriginal(
  { session, bytes, state }: OriginalSession,
  entry: ArchivedCompression,
  request: UndoRequest,
  ports: UndoPorts,
): Promise<Written> {
  const { originalPath } = entry
  const { out, dryRun } = request
  const { sessionId } = session.head ?? {}
  const unchanged = { bytes: bytes.length, keepsRecords: true, losses: [], sessionId }
  if (out === '-') {
    if (!dryRun) {
      const destination: Destination = { type: 'standard-output', sessionId: '' }
      await ports.write([bytes], { session, newSession: undefined, destination })
    }
    return { ...unchanged, action: 'put-back', output: undefined, resumeCommand: undefined }
  }
  if (out === undefined && (state === 'same' || state === 'longer') && originalPath !== null) {
    return {
      ...unchanged,
      action: 'original',
      output: originalPath,
      resumeCommand: findResumeCommand(session, originalPath),
    }
  }
  const path =
    out ??
    (state === 'gone' && originalPath !== null
      ? findPlace(session, originalPath, ports.agents)
      : undefined)
  // Another session is in its place, or it never had a place, so it becomes a separate session.
  if (path === undefined)
    return { ...unchanged, ...(await writeNew(session, entry, bytes.length, request, ports)) }
  if (!dryRun) {
    await writeFileAtomically(path, [bytes], {
      createFolders: out === undefined,
      // Its agent may have put it there meanwhile, with more in it.
      isNew: path === originalPath,
    })
  }
  const resumeCommand = out === undefined ? findResumeCommand(session, path) : undefined
  return { ...unchanged, action: 'put-back', output: path, resumeCommand }
}

/** Only its agent writes a store. What was in it is put where the agent imports it from. */
function findPlace(
  session: LoadedSession,
  originalPath: string,
  agents: readonly Agent[] | undefined,
): string {
  const { agent, conversation } = session
  const sessionId = findSafeId(session)
  if (!agent || sessionId === undefined || !locateStored(originalPath, agents)) return originalPath
  const { workingDirectory } = conversation
  return placeSession({
    agent,
    sessionId,
    time: new Date(),
    originalPath: undefined,
    workingDirectory,
  }).path
}

/**
 * Sessions may contain any id. An id that no agent would create is kept out of commands and paths.
 */
function findSafeId({ agent, head }: LoadedSession): string | undefined {
  const sessionId = head?.sessionId
  return sessionId !== undefined && agent?.ids.whole.test(sessionId) ? sessionId : undefined
}

function findResumeCommand(session: LoadedSession, path: string): string | undefined {
  const { agent, head, conversation } = session
  const sessionId = findSafeId(session)
  // In any other place, its agent does not find it.
  if (!agent || sessionId === undefined || !isAtHome(agent, path)) return undefined
  return agent.resume({
    sessionId,
    path,
    directory: conversation.workingDirectory ?? head?.workingDirectory,
  })
}

async function writeNew(
  session: LoadedSession,
  entry: ArchivedCompression,
  byteLength: number,
  request: UndoRequest,
  ports: UndoPorts,
): Promise<Pick<Written, 'action' | 'output' | 'bytes' | 'resumeCommand' | 'sessionId'>> {
  const destination = chooseDestination(session, request)
  const newSession = nameUndone(session, destination)
  const { conversation } = session
  const bytes = request.dryRun
    ? byteLength
    : await writeLinked(entry, { session, newSession, destination, conversation }, ports)
  const { sessionId } = newSession
  return { action: 'put-back', bytes, sessionId, ...describePlace(destination) }
}

function describePlace(destination: Destination): Pick<Written, 'output' | 'resumeCommand'> {
  return {
    output: 'path' in destination ? destination.path : undefined,
    resumeCommand: destination.type === 'agent' ? destination.placement.resumeCommand : undefined,
  }
}

/** A new session: the whole original, then what was added to the compressed one. */
async function writeJoined(
  { session }: OriginalSession,
  entry: ArchivedCompression,
  { session: grown, growth }: { readonly session: LoadedSession; readonly growth: Growth },
  request: UndoRequest,
  ports: UndoPorts,
): Promise<Written> {
  const destination = chooseDestination(session, request)
  const newSession = nameUndone(session, destination)
  const { conversation, messages, losses } = toOriginalFormat(session, grown, growth)
  const joined = joinSessions({
    format: session.format,
    base: session.conversation,
    grown: conversation,
    growth: { ...growth, messages },
    newSession,
  })
  const format = { ...session.format, serialize: () => joined.bytes }
  const bytes = await writeLinked(
    entry,
    {
      session: { ...session, format },
      newSession,
      destination,
      conversation: session.conversation,
    },
    ports,
  )
  return {
    action: 'joined',
    bytes,
    keepsRecords: joined.keepsRecords,
    losses,
    sessionId: newSession.sessionId,
    ...describePlace(destination),
  }
}

/** Converts messages that another agent added to the format of the original. */
function toOriginalFormat({ format }: LoadedSession, grown: LoadedSession, growth: Growth) {
  const { conversation } = grown
  if (grown.format.name === format.name) {
    return { conversation, messages: growth.messages, losses: [] as readonly ConversionLoss[] }
  }
  const { document: _document, ...facts } = conversation
  const converted = convertConversation({ ...facts, messages: growth.messages }, format)
  return {
    conversation: converted.conversation,
    messages: converted.conversation.messages,
    losses: converted.losses,
  }
}

function nameUndone(session: LoadedSession, destination: Destination): NewSession {
  const named = createNewSession(session, destination)
  if (!named)
    throw new CompressionError(
      'wrong-usage',
      `Undoing it needs a session of an agent, but it is ${session.format.name}. "precis restore" prints the original.`,
    )
  return { ...named, title: named.title.replace(/\([^()]*\)$/, '(undone)') }
}
