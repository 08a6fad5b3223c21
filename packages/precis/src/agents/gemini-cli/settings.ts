/** The settings of Gemini CLI. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { systemErrorCode } from '../../files/errors.ts'
import { asObject, type JsonObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Environment } from '../shared/file-entry.ts'

/** Where an administrator keeps them (geminicli.com/docs/reference/configuration). */
export function findSystemSettings(environment: Environment): string {
  return (
    environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH ||
    (SYSTEM_SETTINGS[process.platform] ?? '/etc/gemini-cli/settings.json')
  )
}

const SYSTEM_SETTINGS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/GeminiCli/settings.json',
  win32: 'C:\\ProgramData\\gemini-cli\\settings.json',
}

/** Empty if there is no file. Undefined if it cannot be read. */
export function readSettings(path: string): JsonObject | undefined {
  try {
    const errors: ParseError[] = []
    const text = readInputFile(path)
      .toString('utf8')
      .replace(/^\ufeff/, '')
    const settings: unknown = parse(text, errors, {
      allowTrailingComma: true,
      allowEmptyContent: true,
    })
    return errors.length > 0 ? undefined : asObject(settings ?? {})
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? {} : undefined
  }
}

/** This path exists after the plugin is installed. */
export const findExtension = (environment: Environment): string =>
  join(findFolder(environment), 'extensions', 'precis', 'gemini-extension.json')

export function findFolder({ GEMINI_CLI_HOME }: Environment): string {
  return join(GEMINI_CLI_HOME || homedir(), '.gemini')
}
