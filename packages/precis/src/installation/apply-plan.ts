import { existsSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SettingsEntry } from '../agents/shared/agent.ts'
import { AgentFileError, quietly, SessionError } from '../files/errors.ts'
import { acquireLease, type Lease } from '../files/file-lease.ts'
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
export async function applyPlan(plan: ChangePlan): Promise<void> {
  for (const change of plan.changes) assertUnchanged(change)
  if (plan.files.length > 0 && plan.changes.length === 0) return
  const paths = [...plan.changes.map(({ path }) => path), findRecordsPath()]
  const missing: readonly string[] = listMissingFolders(paths)
  const lease = await waitForLease(findRecordsPath())
  let folders = missing
  try {
    folders = await applyAlone(plan, missing)
  } finally {
    lease.release()
    for (const folder of folders.toReversed()) removeEmptyFolder(folder)
  }
}

/**
 * The records of all agents are one file, so only one process changes them at a time. Returns all
 * folders that were created.
 */
async function applyAlone(
  { agent, changes, files, gateway }: ChangePlan,
  missing: readonly string[],
): Promise<readonly string[]> {
  const known = readInstallationRecords()
  const others = known.agents.filter((other) => other.agent !== agent.name)
  const folders = [...new Set([...known.folders, ...missing])]
  if (files.length > 0) {
    await writeInstallationRecords({
      ...known,
      agents: [...others, { agent: agent.name, files: [...files], gateway }],
      folders,
    })
    for (const change of changes) await writeChange(change)
    return folders
  }
  for (const change of changes) await writeChange(change)
  if (others.length < known.agents.length)
    await writeInstallationRecords({ ...known, agents: others })
  return folders
}

const LEASE_MS = 10_000

/** Throws `SessionError` if another process changes files of agents for too long. */
async function waitForLease(file: string): Promise<Lease> {
  const end = Date.now() + LEASE_MS
  while (true) {
    try {
      return acquireLease(file)
    } catch (error) {
      const isInUse = error instanceof SessionError && error.code === 'in-use'
      if (!isInUse || Date.now() > end) throw error
      await setTimeout(20)
    }
  }
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
