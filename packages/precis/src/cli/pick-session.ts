/** The list that a command shows when no session is given. */
import type { Command } from 'commander'
import pc from 'picocolors'
import { listCompressions } from '../archive/compressions.ts'
import { explain, openArchive } from '../archive/open-archive.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import type { ListChoice } from '../terminal/picker.ts'
import { hasColors } from '../terminal/terminal.ts'
import { type DatabaseFlags, findArchivePlace } from './database-option.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure, wrongUsage } from './failure.ts'
import { isInteractive } from './interactive.ts'
import { createArchivedChoice, createSessionChoice } from './session-choice.ts'

/** Sessions of agents, or those whose originals are kept. */
export type PickedKind = 'session' | 'archived-session'

interface PickFlags extends DatabaseFlags {
  readonly json?: boolean
}

/** The path of a session, or the name of an entry of the archive. Throws `Failure` where nobody can pick, or did. */
export async function pickSession(kind: PickedKind, command: Command): Promise<string> {
  const name = command.name()
  const flags = command.opts<PickFlags>()
  if (!isInteractive(flags)) throw wrongUsage(explainMissing(kind, name))
  const choice = kind === 'session' ? chooseSession(name) : await chooseArchived(name, flags)
  if (choice.rows.length === 0) {
    const found = kind === 'session' ? 'there is none of any agent on this machine' : 'nothing is kept in the archive'
    throw wrongUsage(`No session is given, and ${found}. Run "precis ${name} --help" for what it takes.`)
  }
  const colors = pc.createColors(hasColors(process.stderr, process.env))
  const { pick } = await import('../terminal/pick.ts')
  const picked = await pick(choice, colors)
  if (picked === undefined) throw new Failure('interrupted', exitCodes.interrupted, 'no session was picked.')
  const [id = picked] = choice.rows.find(({ value }) => value === picked)?.cells ?? []
  // What to type the next time.
  process.stderr.write(`${colors.dim(`› precis ${name} ${id}`)}\n`)
  return picked
}

function explainMissing(kind: PickedKind, name: string): string {
  const what =
    kind === 'session'
      ? 'Give a file, "-" for standard input, or an id from "precis sessions".'
      : 'Give a session that precis wrote, by id or path; "precis archive" lists them.'
  return `No session is given. ${what}\nRun "precis ${name} --help" for what it takes.`
}

function chooseSession(name: string): ListChoice {
  return createSessionChoice(`which session? (precis ${name})`, listSessionFiles())
}

async function chooseArchived(name: string, flags: DatabaseFlags): Promise<ListChoice> {
  const place = await findArchivePlace(flags)
  const database = await openArchive(place)
  try {
    const entries = database ? await listCompressions(database) : []
    return createArchivedChoice(`which compressed session? (precis ${name})`, entries)
  } catch (error) {
    throw explain(error, place)
  } finally {
    await database?.close()
  }
}
