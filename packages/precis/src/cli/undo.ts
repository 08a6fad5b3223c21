import { rmSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import {
  type ConversionLoss,
  convertConversation,
  type Growth,
  joinSessions,
  type NewSession,
  readWhole,
} from '@precis/core/formats'
import type { Command } from 'commander'
import { type ArchivedCompression, findRealPath } from '../archive/compressions.ts'
import { findRecordFates } from '../archive/record-fates.ts'
import { storeOriginal } from '../archive/store-original.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import type { Database } from '../database/database.ts'
import { findLineagePath } from '../sessions/lineage.ts'
import { type LoadedSession, toDamageJson } from '../sessions/load-session.ts'
import { EXPORTS_FOLDER } from '../sessions/opencode/list-opencode.ts'
import { splitDatabasePath } from '../sessions/opencode/stored-session.ts'
import { changeDirectory, placeSession } from '../sessions/place-session.ts'
import { writeFileAtomically } from '../sessions/write-file.ts'
import { renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addArchivedSessionArgument, withArchivedSession } from './archived-session.ts'
import type { DatabaseFlags } from './database-option.ts'
import { chooseDestination, createNewSession } from './destination.ts'
import { wrongUsage } from './failure.ts'
import { countUnkept, findAdded, openCompressed } from './find-added.ts'
import { findFormat, findOriginal, type OriginalSession } from './find-original.ts'
import { findQuotaBytes } from './keep-original.ts'
import { assertOther } from './restore.ts'
import { addJsonOption, noteDamage } from './session-argument.ts'
import { renderUndo, toUndoJson, type UndoReport } from './undo-report.ts'
import { writeResult } from './write-result.ts'

interface UndoFlags extends DatabaseFlags {
  readonly out?: string
  readonly dryRun?: boolean
  readonly remove?: boolean
  readonly json?: boolean
}

export function defineUndo(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .description(
      'Goes back to the original of a compressed session. Where nothing was added since, that is the original itself, put back where its file is gone; otherwise a new session: the original whole, and behind it all that was added.\n\n' +
        'Neither the original nor the compressed session is changed.',
    )
    .option('-o, --out <file>', 'write the session to go on with to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'report what would be done, without writing or removing anything')
    .option('--remove', 'remove the compressed session once everything in it is somewhere else')
  addJsonOption(command)
    .addHelpText('after', UNDO_HELP)
    .action((name: string, flags: UndoFlags) => undo(name, flags, terminal))
}

async function undo(name: string, flags: UndoFlags, terminal: Terminal): Promise<void> {
  if (flags.json && flags.out === '-') {
    throw wrongUsage('The session and --json cannot both go to standard output. Give a file with --out.')
  }
  if (flags.remove && flags.out === '-') {
    throw wrongUsage(
      '--remove needs a place where the session is kept, and standard output is none. Give a file with --out.',
    )
  }
  const undone = await withArchivedSession(name, flags, terminal, async (database, entry, { damage }) => {
    const undone = await goBack(name, database, entry, flags, terminal)
    return { ...undone, ...(damage && { originalDamage: damage }) }
  })
  if (flags.json) terminal.printJson(toUndoJson(undone))
  else if (flags.out === '-') terminal.note(renderUndo(undone, terminal.colors))
  else terminal.print(renderUndo(undone, terminal.colors))
}

async function goBack(
  name: string,
  database: Database,
  entry: ArchivedCompression,
  flags: UndoFlags,
  terminal: Terminal,
): Promise<UndoReport> {
  if (flags.out !== undefined && flags.out !== '-') assertOther(flags.out, entry)
  const original = await findOriginal(database, entry, findFormat(entry))
  const grown = await openCompressed(name, entry)
  if (grown) noteDamage(grown, terminal)
  try {
    const growth: Growth = grown ? findAdded(entry, original.session.conversation, grown) : { messages: [] }
    const isGrown = grown !== undefined && growth.messages.length > 0
    const written = isGrown
      ? await writeJoined(original, grown, growth, flags, terminal)
      : await writeOriginal(original, entry, flags, terminal)
    const undone: UndoReport = {
      entry: entry.name,
      isDryRun: flags.dryRun === true,
      state: original.state,
      input: grown?.document.path,
      format: original.session.format.name,
      agentName: original.session.home?.name,
      originalMessages: original.session.conversation.messages.length,
      addedMessages: growth.messages.length,
      removed: false,
      notRemoved: undefined,
      ...(grown && toDamageJson(grown)),
      ...written,
    }
    if (!flags.remove) return undone
    const obstacle = grown && findObstacle(entry, grown, original, growth, undone)
    if (obstacle !== undefined) return { ...undone, notRemoved: obstacle }
    const keptAs = grown && !flags.dryRun ? await keepOtherRecords(database, entry, grown, growth) : undefined
    return { ...undone, ...(keptAs !== undefined && { keptAs }), ...removeCompressed(grown, flags) }
  } finally {
    grown?.document.close()
  }
}

type Written = Pick<UndoReport, 'action' | 'output' | 'bytes' | 'keepsRecords' | 'losses' | 'resumeCommand'>

/** The original as it is, or where it was; with `--out` as a file of that name. */
async function writeOriginal(
  { session, bytes, state }: OriginalSession,
  { originalPath }: ArchivedCompression,
  flags: UndoFlags,
  terminal: Terminal,
): Promise<Written> {
  const { out, dryRun } = flags
  const unchanged = { bytes: bytes.length, keepsRecords: true, losses: [] }
  if (out === '-') {
    if (!dryRun) await terminal.printBytes([bytes])
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
  const path = out ?? (state === 'gone' && originalPath !== null ? findPlace(session, originalPath) : undefined)
  // Another session lies in its place, or it never had one: it becomes one of its own.
  if (path === undefined) return { ...unchanged, ...(await writeNew(session, bytes.length, flags, terminal)) }
  if (!dryRun) await writeFileAtomically(path, [bytes], { createFolders: out === undefined })
  const resumeCommand = out === undefined ? findResumeCommand(session, path) : undefined
  return { ...unchanged, action: 'put-back', output: path, resumeCommand }
}

/** The store of OpenCode is its own to write: what was in it waits to be imported. */
function findPlace({ home, head }: LoadedSession, originalPath: string): string {
  const isStored = splitDatabasePath(originalPath) !== undefined
  if (!isStored || !home || head?.sessionId === undefined || !AGENT_ID.test(head.sessionId)) return originalPath
  return join(home.sessionsDirectory, EXPORTS_FOLDER, `${head.sessionId}.json`)
}

// A session says what its id is: what no agent gave does not come into a command, or into a path.
const AGENT_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|ses_[0-9A-Za-z]{1,60})$/i

function findResumeCommand({ home, head, conversation }: LoadedSession, path: string): string | undefined {
  const sessionId = head?.sessionId
  if (!home || sessionId === undefined || !AGENT_ID.test(sessionId)) return undefined
  // Elsewhere its agent does not look for it.
  if (!findRealPath(path).startsWith(`${findRealPath(home.sessionsDirectory)}${sep}`)) return undefined
  const workingDirectory = conversation.workingDirectory ?? head?.workingDirectory
  if (splitDatabasePath(path)) return changeDirectory(workingDirectory, `opencode --session ${sessionId}`)
  // Only the command is wanted: the session has its place.
  return placeSession({ home, sessionId, time: new Date(), originalPath: undefined, workingDirectory }).resumeCommand
}

async function writeNew(
  session: LoadedSession,
  byteLength: number,
  flags: UndoFlags,
  terminal: Terminal,
): Promise<Pick<Written, 'action' | 'output' | 'bytes' | 'resumeCommand'>> {
  const destination = chooseDestination(session, flags)
  const newSession = nameUndone(session, 'sessionId' in destination ? destination.sessionId : '')
  const bytes = flags.dryRun
    ? byteLength
    : await writeResult(session, session.conversation, newSession, destination, terminal)
  return {
    action: 'put-back',
    output: 'path' in destination ? destination.path : undefined,
    bytes,
    resumeCommand: destination.type === 'agent' ? destination.placement.resumeCommand : undefined,
  }
}

/** A new session: the original whole, then what was added to the compressed one. */
async function writeJoined(
  { session }: OriginalSession,
  grown: LoadedSession,
  growth: Growth,
  flags: UndoFlags,
  terminal: Terminal,
): Promise<Written> {
  const destination = chooseDestination(session, flags)
  const newSession = nameUndone(session, 'sessionId' in destination ? destination.sessionId : '')
  const { conversation, messages, losses } = toOriginalFormat(session, grown, growth)
  const joined = joinSessions(session.format, session.conversation, conversation, { ...growth, messages }, newSession)
  const format = { ...session.format, serialize: () => joined.bytes }
  const bytes = await writeResult({ ...session, format }, session.conversation, newSession, destination, terminal)
  return {
    action: 'joined',
    output: 'path' in destination ? destination.path : undefined,
    bytes,
    keepsRecords: joined.keepsRecords,
    losses,
    resumeCommand: destination.type === 'agent' ? destination.placement.resumeCommand : undefined,
  }
}

/** What was added in another agent comes back into the one of the original. */
function toOriginalFormat({ format }: LoadedSession, grown: LoadedSession, growth: Growth) {
  const { conversation } = grown
  if (grown.format.name === format.name) {
    return { conversation, messages: growth.messages, losses: [] as readonly ConversionLoss[] }
  }
  const { document: _document, ...facts } = conversation
  const converted = convertConversation({ ...facts, messages: growth.messages }, format)
  return { conversation: converted.conversation, messages: converted.conversation.messages, losses: converted.losses }
}

function nameUndone(session: LoadedSession, sessionId: string): NewSession {
  const named = createNewSession(session, sessionId)
  if (!named)
    throw wrongUsage(
      `Undoing it needs a session of an agent; it is ${session.format.name}. "precis restore" gives the original back.`,
    )
  return { ...named, title: named.title.replace(/\([^()]*\)$/, '(undone)') }
}

/** Why the compressed session has to stay: it is what goes on, or it holds what is nowhere else. */
function findObstacle(
  entry: ArchivedCompression,
  grown: LoadedSession,
  original: OriginalSession,
  growth: Growth,
  { output, losses }: UndoReport,
): string | undefined {
  const place = grown.document.path && findRealPath(grown.document.path)
  const isOriginal = entry.command === 'compact' || place === entry.originalPath
  if (isOriginal || (output !== undefined && place === findRealPath(output))) {
    return 'it is the session itself that goes on, and no copy of it'
  }
  if (losses.length > 0) return 'the new session cannot hold all of what was added'
  const { format, conversation } = original.session
  const kept = [...readWhole(format, conversation), ...growth.messages]
  const count = countUnkept(entry, grown, kept, growth.messages.length === 0)
  if (count === 0) return undefined
  return `${renderPlural(count, 'record')} that its agent added, such as words you took back, ${count === 1 ? 'is' : 'are'} neither in the original nor in the new session; delete it yourself where you do not need ${count === 1 ? 'it' : 'them'}`
}

/**
 * Records without a message, such as a title, do not come into the new session: where the agent added some, the compressed
 * session is kept in the archive as it is now. Gives the name of the entry.
 */
async function keepOtherRecords(
  database: Database,
  entry: ArchivedCompression,
  grown: LoadedSession,
  { messages }: Growth,
): Promise<string | undefined> {
  const { document, format, head, conversation } = grown
  if (countUnkept(entry, grown, [...readWhole(format, conversation), ...messages], true) === 0) return undefined
  const sessionId = head?.sessionId
  const path = document.path && findRealPath(document.path)
  const { archive } = await readConfiguration(process.cwd())
  const fates = findRecordFates(conversation, { messages: [] })
  const { name } = await storeOriginal(
    database,
    {
      command: 'compact',
      source: document.source,
      format: format.name,
      sessionId,
      path,
      fates,
      newSessionId: sessionId,
      newPath: path,
      report: toDamageJson(grown),
    },
    findQuotaBytes(archive),
  )
  return name
}

/** Only a file that is what was read: whatever its agent does with it meanwhile stays. */
function removeCompressed(
  grown: LoadedSession | undefined,
  { dryRun }: UndoFlags,
): Pick<UndoReport, 'removed' | 'notRemoved'> {
  const path = grown?.document.path
  if (!grown || path === undefined) return { removed: false, notRemoved: 'it is gone already' }
  const { stats } = grown.document
  if (!stats || grown.home?.agent === 'copilot' || splitDatabasePath(path)) {
    return {
      removed: false,
      notRemoved: `${grown.home?.name ?? 'its agent'} keeps it in a store of its own; remove it there`,
    }
  }
  const real = findRealPath(path)
  const now = statSync(real, { throwIfNoEntry: false })
  if (!now || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) {
    return { removed: false, notRemoved: 'it was written to meanwhile; undo it again' }
  }
  if (dryRun) return { removed: false, notRemoved: undefined }
  rmSync(real)
  rmSync(findLineagePath(real), { force: true })
  return { removed: true, notRemoved: undefined }
}

const UNDO_HELP = `
Examples:
  precis undo 3f2a                  back to the original, with what was said since
  precis undo 3f2a --dry-run        what would become of it
  precis undo 3f2a --remove         and without the compressed session
  precis undo 3f2a --out whole.jsonl

Of a session that was compressed several times it goes back by one compression.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
