import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * What makes `node` run the sources, for processes that import some of them and are killed or
 * watched.
 */
export const sourceLoader = [
  '--import',
  pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href,
]
