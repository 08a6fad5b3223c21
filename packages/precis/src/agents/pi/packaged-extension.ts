/**
 * The extension of the package that users add: one file with everything that a compaction needs. If
 * the command is installed, it also keeps what is removed in the archive. `precis install` adds a
 * different file.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findCommand } from '../shared/run-precis.ts'
import { extendPi, type PiExtensionApi } from './extension.ts'
import { findExtensionFile } from './folder.ts'

type PackagedApi = PiExtensionApi & {
  on(event: 'resources_discover', listener: () => { readonly promptPaths: readonly string[] }): void
}

export function packagedExtension(pi: PackagedApi): void {
  if (existsSync(findExtensionFile(process.env))) return
  extendPi(pi, findCommand())
  const prompts = fileURLToPath(new URL('../prompts', import.meta.url))
  pi.on('resources_discover', () => ({ promptPaths: [prompts] }))
}
