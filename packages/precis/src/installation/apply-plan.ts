import { existsSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SettingsEntry } from '../agents/shared/agent.ts'
import { AgentFileError, quietly } from '../files/errors.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { readAgentFile } from './agent-file.ts'
import { isBrought } from './find-entry.ts'
import {
  findRecordsPath,
  readInstallationRecords,
  writeInstallationRecords,
} from './installation-records.ts'
import { type ChangePlan, type FileRewrite, planWithoutFile } from './plan-change.ts'

/**
 * An installation writes records before the files, and a complete removal deletes them after the
 * files. After a kill in between, the next run can continue. Throws `AgentFileError` if a file has
 * changed since it was planned.
 */
export async function applyPlan({ agent, changes, files, gateway }: ChangePlan): Promise<void> {
  for (const change of changes) assertUnchanged(change)
  const known = readInstallationRecords()
  const others = known.agents.filter((other) => other.agent !== agent.name)
  if (files.length > 0) {
    if (changes.length === 0) return
    const missing = listMissingFolders([...changes.map(({ path }) => path), findRecordsPath()])
    const folders = [...new Set([...known.folders, ...missing])]
    await writeInstallationRecords({
      ...known,
      agents: [...others, { agent: agent.name, files: [...files], gateway }],
      folders,
    })
    for (const change of changes) await writeChange(change)
    for (const folder of folders.toReversed()) removeEmptyFolder(folder)
    return
  }
  for (const change of changes) await writeChange(change)
  if (others.length < known.agents.length)
    await writeInstallationRecords({ ...known, agents: others })
  for (const folder of known.folders.toReversed()) removeEmptyFolder(folder)
}

/**
 * Removes what the plugin of precis also adds, because the plugin may be added after an
 * installation. Throws like `applyPlan`.
 */
export async function removeBrought(entries: readonly SettingsEntry[]): Promise<void> {
  const changes = entries
    .filter(isBrought)
    .flatMap((entry) => planWithoutFile(entry.path, [entry]).change ?? [])
  for (const change of changes) await writeChange(change)
  if (changes.length === 0) return
  for (const folder of readInstallationRecords().folders.toReversed()) removeEmptyFolder(folder)
}

function assertUnchanged({ path, before }: FileRewrite): void {
  if (readAgentFile(path) === before) return
  throw new AgentFileError(
    'configuration-changed',
    `Changing "${path}": another program wrote to it at this moment. Nothing more was changed. Run this again.`,
  )
}

/** Each before those inside it. */
function listMissingFolders(paths: readonly string[]): string[] {
  const missing = new Set<string>()
  for (const path of paths) {
    const onTheWay: string[] = []
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder))
      onTheWay.unshift(folder)
    for (const folder of onTheWay) missing.add(folder)
  }
  return [...missing]
}

/** An agent may write to its file at any moment. */
async function writeChange(change: FileRewrite): Promise<void> {
  const { path, after } = change
  const check = () => assertUnchanged(change)
  if (after !== undefined) {
    await writeFileAtomically(path, [Buffer.from(after)], { createFolders: true, check })
    return
  }
  check()
  // A link stays, because the user created it.
  rmSync(existsSync(path) ? realpathSync(path) : path, { force: true })
}

/** It stays if it is not empty, or is a link or a mount point by now. */
const removeEmptyFolder = (folder: string): void => quietly(() => rmdirSync(folder))
