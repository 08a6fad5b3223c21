/** Puts a result where its agent finds it. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { AgentHome } from '../sessions/agent-home.ts'
import { listSession } from '../sessions/place-session.ts'
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
  return listSession(home, path, newSession)
}

/** Whether another run put it there since the sessions were listed, maybe under the name of another minute. */
export function isPlaced(path: string, resultId: string): boolean {
  const mark = findMark(path, resultId)
  // Hidden ones are not finished.
  return listNames(dirname(path)).some(
    (name) => name.includes(mark) && !name.startsWith('.') && !name.endsWith('.precis.json'),
  )
}

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
