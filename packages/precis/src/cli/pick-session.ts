/** The list that a command shows if no session is given. */
import type { Command } from 'commander'
import pc from 'picocolors'
import { type ArchivedCompression, listCompressions } from '../archive/compressions.ts'
import { explainArchiveError, openArchive } from '../archive/open-archive.ts'
import { type DatabaseFlags, findArchivePlace } from '../archive/with-archive.ts'
import { chooseArchived, chooseSession } from '../reports/choose-session.ts'
import type { ListChoice } from '../terminal/pick.ts'
import { hasColors, isInteractive } from '../terminal/terminal.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'

/** Sessions of agents, or sessions with a kept original. */
export type PickedKind = 'session' | 'archived-session'

/**
 * The path of a session, or the name of an archive entry. Throws `Failure` if no choice is
 * possible, or none was made.
 */
export async function pickSession(kind: PickedKind, command: Command): Promise<string> {
  const name = command.name()
  const flags = command.opts<DatabaseFlags & { readonly json?: boolean }>()
  const isOfAgent = kind === 'session'
  if (!isInteractive(flags)) {
    const what = isOfAgent
      ? 'Give a file, "-" for standard input, or an id from "precis sessions".'
      : 'Give a session that precis wrote, by id or path; "precis archive" lists them.'
    throw wrongUsage(`No session is given. ${what}\n"precis ${name} --help" lists its arguments.`)
  }
  if (isOfAgent)
    return (await pickFrom(chooseSession(name), 'no agent on this machine has one', name)).path
  const entries = await listArchived(flags)
  return (await pickFrom(chooseArchived(name, entries), 'the archive is empty', name)).name
}

async function pickFrom<Item extends object>(
  choice: ListChoice<Item>,
  whyNone: string,
  name: string,
): Promise<Item> {
  if (choice.items.length === 0) {
    throw wrongUsage(
      `No session is given, and ${whyNone}. "precis ${name} --help" lists its arguments.`,
    )
  }
  const { pick } = await import('../terminal/pick.ts')
  const picked = await pick(choice, pc.createColors(hasColors(process.stderr, process.env)))
  if (!picked) throw new Failure('interrupted', exitCodes.interrupted, 'no session was chosen.')
  return picked
}

async function listArchived(flags: DatabaseFlags): Promise<readonly ArchivedCompression[]> {
  const place = await findArchivePlace(flags)
  const database = await openArchive(place)
  try {
    return database ? await listCompressions(database) : []
  } catch (error) {
    throw explainArchiveError(error, place)
  } finally {
    await database?.close()
  }
}
