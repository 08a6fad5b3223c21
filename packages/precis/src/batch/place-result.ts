/** Puts a result where its agent finds it. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AgentHome } from '../sessions/agent-home.ts'
import { addToChatIndex } from '../sessions/copilot/chat-index.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { writeFileAtomically } from '../sessions/write-file.ts'
import type { JobSession } from './job.ts'
import { GEMINI_DIGITS } from './result-id.ts'

const OWNER_READ_WRITE = 0o600

/** Gives what its agent will not do by itself, in words. Throws `SessionError`. */
export async function placeResult(
  path: string,
  output: Uint8Array,
  original: SessionFile,
  home: AgentHome,
  newSession: JobSession,
): Promise<string | undefined> {
  // As private as the original, but its agent has to be able to go on writing.
  const stats = statSync(original.path, { throwIfNoEntry: false })
  const mode = stats && { mode: stats.mode | OWNER_READ_WRITE }
  await writeFileAtomically(path, [output], { ...mode, createFolders: true })
  if (home.agent !== 'copilot') return undefined
  const problem = addToChatIndex(path, newSession)
  return problem === undefined ? undefined : `VS Code does not list it: ${problem}`
}

/**
 * Whether another run put it there since the sessions were listed, maybe under the name of another minute. Removes what a
 * run that was killed had begun to write; only who holds the lock of the session may ask.
 *
 *   rollout-2026-11-21T20-18-58-5f0c….jsonl                     there already
 *   .rollout-2026-11-21T20-18-58-5f0c….jsonl.0a1b2c3d4e5f.tmp   never finished
 */
export function isPlaced(path: string, resultId: string): boolean {
  const folder = dirname(path)
  let isThere = false
  for (const name of listNames(folder)) {
    if (!name.includes(findMark(path, resultId))) continue
    if (!name.startsWith('.')) isThere ||= !name.endsWith('.precis.json')
    else if (UNFINISHED.test(name)) rmSync(join(folder, name), { force: true })
  }
  return isThere
}

const UNFINISHED = /\.[0-9a-f]{12}\.tmp$/

/** Gemini CLI names a file after the beginning of the id. */
function findMark(path: string, resultId: string): string {
  return basename(path).includes(resultId) ? resultId : resultId.slice(0, GEMINI_DIGITS)
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // It is made when the result is written.
    return []
  }
}
