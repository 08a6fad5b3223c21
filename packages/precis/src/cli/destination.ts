/** Where a result goes, settled before any work is done. */
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { NewSession } from '@precis/core/formats'
import { type LoadedSession, STANDARD_INPUT } from '../sessions/load-session.ts'
import { createSessionId, type Placement, placeSession } from '../sessions/place-session.ts'
import { SessionError } from '../sessions/session-error.ts'
import { renderPreview } from '../terminal/terminal-text.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure, wrongUsage } from './failure.ts'

export type Destination =
  | { readonly type: 'nowhere' }
  | { readonly type: 'standard-output'; readonly sessionId: string }
  | { readonly type: 'file'; readonly path: string; readonly sessionId: string }
  | { readonly type: 'agent'; readonly path: string; readonly sessionId: string; readonly placement: Placement }

export interface DestinationOptions {
  readonly out?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

const TITLE_COLUMNS = 80
const SESSION_FILE = /^(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl?|(ses_[0-9A-Za-z]{8,60})\.json)$/i

/**
 * `--out` decides. Without it an agent's session goes where its agent finds it; what has no home, a document from
 * standard input or of a message format, goes to standard output.
 */
export function chooseDestination(session: LoadedSession, options: DestinationOptions): Destination {
  const { document, home, head, name } = session
  const sessionId = createSessionId(home?.agent)
  if (options.out !== undefined && options.out !== STANDARD_INPUT) {
    assertWritable(options.out, session)
    // A file that is named after a session is that session.
    const [, uuid, named = uuid] = SESSION_FILE.exec(basename(options.out)) ?? []
    return options.dryRun ? { type: 'nowhere' } : { type: 'file', path: options.out, sessionId: named ?? sessionId }
  }
  if (options.dryRun) return { type: 'nowhere' }
  if (options.out === undefined && home && name !== STANDARD_INPUT) {
    const placement = placeSession({
      home,
      sessionId,
      time: new Date(),
      // Beside an original of another agent nobody would find it.
      originalPath: session.convertedFrom === undefined ? document.path : undefined,
      workingDirectory: session.conversation.workingDirectory ?? head?.workingDirectory,
      model: session.resumeModel,
    })
    return { type: 'agent', path: placement.path, sessionId, placement }
  }
  if (options.json) {
    throw wrongUsage(
      'The result and --json cannot both go to standard output. Give a file with --out, or --dry-run to write nothing.',
    )
  }
  return { type: 'standard-output', sessionId }
}

/** Names for the new session; undefined for message formats, which have none. */
export function createNewSession(session: LoadedSession, sessionId: string): NewSession | undefined {
  if (session.format.kind !== 'session') return undefined
  const change = session.convertedFrom === undefined ? 'compressed' : `from ${session.convertedFrom}`
  return {
    sessionId,
    timestamp: new Date().toISOString(),
    title: renderTitle(session.head?.firstPrompt, change),
    createId: randomUUID,
  }
}

/** What the agent shows of a new session. */
export function renderTitle(firstPrompt: string | undefined, change = 'compressed'): string {
  return `${renderPreview(firstPrompt ?? '', TITLE_COLUMNS) || 'Session'} (${change})`
}

function assertWritable(out: string, { document, name }: LoadedSession): void {
  const existing = statSync(out, { throwIfNoEntry: false })
  if (existing && document.stats && existing.ino === document.stats.ino && existing.dev === document.stats.dev) {
    throw new SessionError(
      'same-file',
      `Writing "${out}": it is the session itself ("${name}"). precis never changes an original; give another file.`,
    )
  }
  if (existing?.isDirectory()) throw wrongUsage(`Writing "${out}": it is a folder; give the name of a file in it.`)
  if (!existing && !statSync(dirname(out), { throwIfNoEntry: false })) {
    throw new Failure(
      'unwritable',
      exitCodes.failed,
      `Writing "${out}": there is no folder "${dirname(out)}". Create it, or give another file.`,
    )
  }
}
