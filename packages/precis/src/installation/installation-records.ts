/**
 * Records of installations, so that taking one away leaves no trace: one small file in the user's
 * data folder. It holds no text of the agents' files but the white space and commas that were
 * replaced.
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
  /** Whether there was no such file before. */
  isCreated: z.boolean(),
  /** SHA-256 of the file as it was written, hexadecimal. */
  hash: z.string(),
  /** Over the file as it was written, one list after the other, they give back what was there. */
  undo: z.array(z.array(textEdit)),
  /** Names from the root of JSON objects and lists that were made to hold an entry. */
  containers: z.array(z.array(z.string())),
})

/**
 * A gateway that the agent was pointed at: its address, and which entries were made for that, by
 * their words.
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
  /** Folders that were made for any of them, each before those inside it. */
  folders: z.array(z.string()),
})

export type ChangedFile = z.infer<typeof changedFile>
export type InstalledGateway = z.infer<typeof installedGateway>
export type InstallationRecords = z.infer<typeof installationRecords>

const NONE: InstallationRecords = { version: 1, agents: [], folders: [] }

export function findRecordsPath(): string {
  return join(findUserFolders().data, 'installed.json')
}

/**
 * Empty where the file is not there, or cannot be understood: then entries are known by what they
 * are.
 */
export function readRecords(): InstallationRecords {
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

/** No file where there is nothing to remember. */
export async function writeRecords(records: InstallationRecords): Promise<void> {
  const path = findRecordsPath()
  if (records.agents.length === 0) rmSync(path, { force: true })
  else
    await writeFileAtomically(path, [Buffer.from(`${JSON.stringify(records)}\n`)], {
      createFolders: true,
    })
}
