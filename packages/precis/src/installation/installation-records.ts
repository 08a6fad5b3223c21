/**
 * Records of installations, so that an uninstallation can restore every file. They are one small
 * file in the user's data folder. It contains no text of the agents' files except the white space
 * and commas that were replaced.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AgentFileError, explainSystemError } from '../files/errors.ts'
import { readInputFile } from '../files/read-document.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'

const textEdit = z.object({ offset: z.number(), length: z.number(), text: z.string() })

const changedFile = z.object({
  path: z.string(),
  /** Whether the file did not exist before. */
  isCreated: z.boolean(),
  /** SHA-256 of the file as it was written, in hexadecimal digits. */
  hash: z.string(),
  /**
   * Applied to the file as it was written, one list after the other, they restore the earlier text.
   */
  undo: z.array(z.array(textEdit)),
  /** Names from the root of JSON objects and lists that were created to hold an entry. */
  containers: z.array(z.array(z.string())),
})

/**
 * A gateway that was configured for the agent: its address, and the descriptions of the entries
 * that were written for it.
 */
const installedGateway = z.object({ url: z.string(), entries: z.array(z.string()) })

const installationRecords = z.object({
  version: z.literal(1),
  agents: z.array(
    z.object({
      agent: z.string(),
      files: z.array(changedFile),
      gateway: installedGateway.optional(),
    }),
  ),
  /** Folders that were created for any of the files, each before those inside it. */
  folders: z.array(z.string()),
})

export type ChangedFile = z.infer<typeof changedFile>
export type InstalledGateway = z.infer<typeof installedGateway>
export type InstallationRecords = z.infer<typeof installationRecords>

const NONE: InstallationRecords = { version: 1, agents: [], folders: [] }

export function findRecordsPath(): string {
  return join(findUserFolders().data, 'installed.json')
}

/** Empty if the file is missing or cannot be read. Entries are then recognized by their content. */
export function readInstallationRecords(): InstallationRecords {
  const path = findRecordsPath()
  if (!existsSync(path)) return NONE
  try {
    return installationRecords.parse(JSON.parse(readInputFile(path).toString('utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return NONE
    throw new AgentFileError(
      'configuration-unreadable',
      `Reading "${path}": ${explainSystemError(error)}.`,
    )
  }
}

/** Writes no file if there is nothing to record. */
export async function writeInstallationRecords(records: InstallationRecords): Promise<void> {
  const path = findRecordsPath()
  if (records.agents.length === 0) rmSync(path, { force: true })
  else
    await writeFileAtomically(path, [Buffer.from(`${JSON.stringify(records)}\n`)], {
      createFolders: true,
    })
}
