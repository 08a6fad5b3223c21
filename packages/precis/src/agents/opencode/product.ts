/** The names in which a fork of OpenCode differs from it. Everything else is the same. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../shared/file-entry.ts'

export interface Product {
  /** The name of the agent, its program, its database and its folders. */
  readonly name: string
  readonly title: string
  /** What to run to begin with precis. `<repository>` is the folder of a clone. */
  readonly begin: string
  /** The beginning of its variables: `OPENCODE` of `OPENCODE_DB`. */
  readonly variables: string
  /** Names of settings files without their ending, with increasing priority. */
  readonly settings: readonly string[]
  /** Folders with settings in a project, with increasing priority. */
  readonly projectFolders: readonly string[]
}

export const OPENCODE_PRODUCT: Product = {
  name: 'opencode',
  title: 'OpenCode',
  begin: 'opencode plugin -g <repository>/plugins/opencode',
  variables: 'OPENCODE',
  settings: ['opencode'],
  projectFolders: ['.opencode'],
}

export function findData({ name }: Product, { XDG_DATA_HOME }: Environment): string {
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), name)
}

export function findFolder({ name }: Product, { XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), name)
}

/** The file that "precis install" adds. */
export function findPluginFile(product: Product, environment: Environment): string {
  return join(findFolder(product, environment), 'plugins', 'precis.js')
}
