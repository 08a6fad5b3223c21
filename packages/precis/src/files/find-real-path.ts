import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Absolute and without links, also of a file that is not there yet. */
export function findRealPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const folder = dirname(path)
  return join(existsSync(folder) ? realpathSync(folder) : resolve(folder), basename(path))
}
