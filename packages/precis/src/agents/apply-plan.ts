/** Carries out what `plan-change.ts` found, file by file, and remembers it. */
import { existsSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomically } from '../sessions/write-file.ts'
import { systemErrorCode } from '../system-error.ts'
import { readAgentFile } from './agent-file.ts'
import { AgentFileError } from './agent-file-error.ts'
import { findRecordsPath, readRecords, writeRecords } from './installation-records.ts'
import type { ChangePlan, FileChange } from './plan-change.ts'

/**
 * What is remembered comes before the files when something is added, and goes after them when all is taken away: killed
 * in between, the next run finds its way. Throws `AgentFileError` where a file is no longer what the plan was made for.
 */
export async function applyPlan({ agent, changes, files }: ChangePlan): Promise<void> {
  for (const change of changes) assertUnchanged(change)
  const known = readRecords()
  const others = known.agents.filter((other) => other.agent !== agent)
  if (files.length > 0) {
    if (changes.length === 0) return
    const missing = listMissingFolders([...changes.map(({ path }) => path), findRecordsPath()])
    const folders = [...new Set([...known.folders, ...missing])]
    await writeRecords({ ...known, agents: [...others, { agent, files: [...files] }], folders })
    for (const change of changes) await writeChange(change)
    return
  }
  for (const change of changes) await writeChange(change)
  if (others.length < known.agents.length) await writeRecords({ ...known, agents: others })
  for (const folder of known.folders.toReversed()) removeEmptyFolder(folder)
}

function assertUnchanged({ path, before }: FileChange): void {
  if (readAgentFile(path) === before) return
  throw new AgentFileError(
    'configuration-changed',
    `Changing "${path}": somebody wrote to it at this very moment. Nothing more was changed; run this again.`,
  )
}

/** Each before those inside it. */
function listMissingFolders(paths: readonly string[]): string[] {
  const missing = new Set<string>()
  for (const path of paths) {
    const onTheWay: string[] = []
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) onTheWay.unshift(folder)
    for (const folder of onTheWay) missing.add(folder)
  }
  return [...missing]
}

async function writeChange(change: FileChange): Promise<void> {
  const { path, after } = change
  assertUnchanged(change)
  if (after !== undefined) await writeFileAtomically(path, [Buffer.from(after)], { createFolders: true })
  // Where it is a link, somebody made that.
  else rmSync(existsSync(path) ? realpathSync(path) : path, { force: true })
}

/** What has something in it stays. */
function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw error
  }
}
