import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../ground/file-entry.ts'

export function findFolder({ XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'opencode')
}

/** What "precis install" puts in. */
export function findPluginFile(environment: Environment): string {
  return join(findFolder(environment), 'plugins', 'precis.js')
}
