import type { Command } from 'commander'
import { findArchivePath } from '../archive/open-archive.ts'
import { readConfigured } from './read-configured.ts'

export interface DatabaseFlags {
  readonly database?: string
}

/** Of every command that reads or writes the archive. */
export function addDatabaseOption(command: Command): Command {
  return command.option(
    '--database <file|url>',
    'the archive: a file, or postgres://user@host/database (default: archive.db in your data folder)',
  )
}

/** The flag, else `PRECIS_DATABASE`, else the configuration, else the user's own file. */
export async function findArchivePlace({ database }: DatabaseFlags): Promise<string> {
  const { archive } = await readConfigured(database === undefined ? {} : { database })
  return archive?.database ?? findArchivePath()
}
