/** The files in which OpenCode or a fork of it is configured. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { JsonObject } from '../../files/lines.ts'
import type { Environment } from '../shared/file-entry.ts'
import { readJson } from '../shared/next-model.ts'
import { findFolder, type Product } from './product.ts'

/** The agent itself uses the first existing file. */
export function findConfiguration(product: Product, environment: Environment): string {
  const folder = findFolder(product, environment)
  const withComments = join(folder, `${product.name}.jsonc`)
  const plain = join(folder, `${product.name}.json`)
  return !existsSync(plain) && existsSync(withComments) ? withComments : plain
}

/** All configurations that apply in a folder, with increasing priority. */
export function readConfigurations(
  product: Product,
  directory: string,
  environment: Environment,
): readonly JsonObject[] {
  const folder = findFolder(product, environment)
  const files = product.settings.flatMap((name) => [`${name}.json`, `${name}.jsonc`])
  const own = ['config.json', ...files].map((file) => join(folder, file))
  const chosen = environment[`${product.variables}_CONFIG`]
  const project = ['', ...product.projectFolders].flatMap((inside) =>
    files.map((file) => join(inside, file)),
  )
  const found = listFoldersAbove(directory).flatMap((above) =>
    project.map((file) => join(above, file)),
  )
  return [...own, ...(chosen ? [chosen] : []), ...found].map(readJson)
}

/** From the root to the folder itself. Nearer folders have priority. */
function listFoldersAbove(directory: string): string[] {
  const folders: string[] = []
  for (let folder = resolve(directory); folders[0] !== folder; folder = dirname(folder))
    folders.unshift(folder)
  return folders
}
