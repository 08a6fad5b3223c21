/** Every session of this machine, read with a progress on the terminal. */
import { agents } from '../agents/index.ts'
import { shortenHome } from '../files/user-folders.ts'
import { openFactsCache } from '../sessions/facts-cache.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { type KnownSession, listBrief, readSessions } from '../sessions/overview.ts'
import { neutralizeLine, renderBytes, renderCount, renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface MachineOptions {
  /** How many of the latest compactions name what they lost. By default none. */
  readonly named?: number
  /** Prints a first answer, from the latest sessions. */
  readonly onFirst?: ((known: readonly KnownSession[]) => void) | undefined
  /** As in `ReadOptions`. */
  readonly firstMs?: number
}

/** Oldest first. Notes what could not be read. */
export async function readMachine(
  terminal: Terminal,
  { named = 0, onFirst, firstMs }: MachineOptions = {},
): Promise<KnownSession[]> {
  const { progress } = terminal
  const files = listSessionFiles()
  const cache = openFactsCache()
  const onProblem = (problem: string) => noteCacheProblem(problem, terminal)
  // Read for the first answer or for the whole one. What cannot be read again keeps brief facts.
  const readAgain = new Map<SessionFile, KnownSession>()
  const nameLosses = async (sessions: readonly KnownSession[]): Promise<KnownSession[]> => {
    const known = sessions.map((session) => readAgain.get(session.file) ?? session)
    const brief = named > 0 ? listBrief(known, named).filter((file) => !readAgain.has(file)) : []
    if (brief.length === 0) return known
    const read = await readSessions(brief, {
      cache,
      onProgress: (read, toRead) =>
        progress.show(`looking up what ${renderPlural(toRead, 'session')} lost`, read / toRead),
      onProblem,
    })
    for (const session of read) readAgain.set(session.file, session)
    return await nameLosses(known)
  }
  let isAnnounced = false
  const briefly = await readSessions(files, {
    cache,
    areAll: true,
    isBrief: named < Infinity,
    ...(firstMs !== undefined && { firstMs }),
    onFirst:
      onFirst &&
      (async (first) => {
        const shown = await nameLosses(first)
        progress.clear()
        onFirst(shown)
        terminal.note(
          `\nprecis: these are the latest ${renderCount(first.length)} of ${renderPlural(files.length, 'session')}. Reading the others.\n`,
        )
      }),
    onProgress(read, toRead) {
      if (!isAnnounced && toRead >= LONG) terminal.note(describeFirst(files, toRead))
      isAnnounced = true
      progress.show(`reading ${renderPlural(toRead, 'session')}`, read / toRead)
    },
    onProblem,
  })
  const known = await nameLosses(briefly)
  progress.clear()
  const unreadable = known.filter(({ facts }) => facts === undefined)
  const [first] = unreadable
  if (first) {
    terminal.note(
      neutralizeLine(
        `precis: ${renderPlural(unreadable.length, 'session')} could not be read, such as "${shortenHome(first.file.path)}", and only their size counts.`,
      ),
    )
  }
  return known
}

/** Everything works without the cache, only slower. */
export function noteCacheProblem(problem: string, terminal: Terminal): void {
  terminal.note(neutralizeLine(`precis: ${problem}.`))
}

// If there are fewer, they are read faster than a user can read this line.
const LONG = 200

/** What exists, before any of it is read. */
function describeFirst(files: readonly SessionFile[], toRead: number): string {
  const counts = agents.flatMap((agent) => {
    const own = files.filter((file) => file.agent === agent)
    const bytes = own.reduce((sum, file) => sum + file.bytes, 0)
    return own.length > 0
      ? [`  ${agent.title}: ${renderPlural(own.length, 'session')}, ${renderBytes(bytes)}`]
      : []
  })
  return [
    `precis: ${renderPlural(files.length, 'session')} on this machine:`,
    ...counts,
    `Reading ${renderCount(toRead)} new or changed ones. Ctrl+C keeps what was already read.`,
  ].join('\n')
}
