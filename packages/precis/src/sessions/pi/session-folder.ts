import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { readInputFile } from '../../input-file.ts'
import { asText, parseObject } from '../lines.ts'

/** Where pi keeps its sessions: in a folder for each project, or in the very folder that a person named. */
export interface PiSessionFolder {
  readonly sessionsDirectory: string
  readonly isFlat: boolean
}

/** `PI_CODING_AGENT_SESSION_DIR`, else `sessionDir` of the settings, else `sessions` in the folder of pi. */
export function findPiSessionFolder(environment: NodeJS.ProcessEnv): PiSessionFolder {
  const folder = environment.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
  const named = environment.PI_CODING_AGENT_SESSION_DIR?.trim() || readSettings(folder)
  if (!named) return { sessionsDirectory: resolve(folder, 'sessions'), isFlat: false }
  return { sessionsDirectory: resolve(named.replace(/^~(?=$|[\\/])/, homedir)), isFlat: true }
}

function readSettings(folder: string): string | undefined {
  try {
    return asText(parseObject(readInputFile(join(folder, 'settings.json')))?.sessionDir)?.trim()
  } catch {
    // Most have none.
    return undefined
  }
}
