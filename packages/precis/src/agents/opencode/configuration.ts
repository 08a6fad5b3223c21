/** Where OpenCode keeps its data, and the files in which it is configured. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { JsonObject } from '../../files/lines.ts'
import type { Environment } from '../shared/file-entry.ts'
import { readJson } from '../shared/next-model.ts'
import { findFolder } from './plugin.ts'

export function findData({ XDG_DATA_HOME }: Environment): string {
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'opencode')
}

/** The agent itself uses the first existing file. */
export function findConfiguration(environment: Environment): string {
  const folder = findFolder(environment)
  const withComments = join(folder, 'opencode.jsonc')
  const plain = join(folder, 'opencode.json')
  return !existsSync(plain) && existsSync(withComments) ? withComments : plain
}

/** All configurations that apply in a folder, with increasing priority. */
export function readConfigurations(
  directory: string,
  environment: Environment,
): readonly JsonObject[] {
  const folder = findFolder(environment)
  const own = ['config.json', 'opencode.json', 'opencode.jsonc'].map((file) => join(folder, file))
  const named = environment.OPENCODE_CONFIG ? [environment.OPENCODE_CONFIG] : []
  const files = [
    'opencode.json',
    'opencode.jsonc',
    '.opencode/opencode.json',
    '.opencode/opencode.jsonc',
  ]
  const project = listFoldersAbove(directory).flatMap((above) =>
    files.map((file) => join(above, file)),
  )
  return [...own, ...named, ...project].map(readJson)
}

/** From the root to the folder itself. Nearer folders have priority. */
function listFoldersAbove(directory: string): string[] {
  const folders: string[] = []
  for (let folder = resolve(directory); folders[0] !== folder; folder = dirname(folder))
    folders.unshift(folder)
  return folders
}
