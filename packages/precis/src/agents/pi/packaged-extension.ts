/**
 * The extension of the package that users add: one file that calls the command by its name. `precis
 * install` adds a different file.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COMMAND_MISSING, findCommand } from '../shared/run-precis.ts'
import { extendPi, findExtensionFile, type PiExtensionApi } from './extension.ts'

type PackagedApi = PiExtensionApi & {
  on(event: 'resources_discover', listener: () => { readonly promptPaths: readonly string[] }): void
  on(
    event: 'session_start',
    listener: (
      event: unknown,
      context: { readonly ui: { notify(text: string, type: 'warning'): void } },
    ) => void,
  ): void
}

export function packagedExtension(pi: PackagedApi): void {
  if (existsSync(findExtensionFile(process.env))) return
  const prompts = fileURLToPath(new URL('../prompts', import.meta.url))
  pi.on('resources_discover', () => ({ promptPaths: [prompts] }))
  const command = findCommand()
  if (command) extendPi(pi, command)
  else pi.on('session_start', (_event, { ui }) => ui.notify(COMMAND_MISSING, 'warning'))
}
