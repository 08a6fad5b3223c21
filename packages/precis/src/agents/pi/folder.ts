import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../shared/agent.ts'

export function findFolder({ PI_CODING_AGENT_DIR }: Environment): string {
  return PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
}

/** The file that "precis install" adds. */
export function findExtensionFile(environment: Environment): string {
  return join(findFolder(environment), 'extensions', 'precis.ts')
}
