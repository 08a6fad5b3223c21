import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../shared/agent.ts'

export function findFolder({ PI_CODING_AGENT_DIR }: Environment): string {
  return expandHome(PI_CODING_AGENT_DIR || join('~', '.pi', 'agent'))
}

/** As pi reads its variables and settings. */
export const expandHome = (path: string): string => path.replace(/^~(?=$|[\\/])/, homedir)

/** The file that "precis install" adds. */
export function findExtensionFile(environment: Environment): string {
  return join(findFolder(environment), 'extensions', 'precis.ts')
}
