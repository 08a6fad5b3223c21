import { statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { PromptSource } from '@precis/core/summarizers'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { readInputFile } from '../input-file.ts'
import { explainSystemError, systemErrorCode } from '../system-error.ts'

/**
 * Prompts of the user: that for the model, else that for the provider, else the general one; a file that is empty is not there.
 * Throws `ConfigurationError` for a folder that is not there and a file that cannot be read.
 */
export function openPromptsFolder(folder: string): PromptSource {
  assertFolder(folder)
  return {
    find: (name, model, provider) => {
      const file = `${name}.md`
      for (const path of [join(provider, model, file), join(provider, file), file]) {
        const text = readPrompt(resolve(folder), path)
        if (text !== undefined && text.trim() !== '') return text.trim()
      }
      return undefined
    },
  }
}

function assertFolder(folder: string): void {
  let found = 'it is no folder'
  try {
    if (statSync(folder).isDirectory()) return
  } catch (error) {
    found = explainSystemError(error)
  }
  throw unreadable(folder, found)
}

function unreadable(path: string, found: string): ConfigurationError {
  return new ConfigurationError(
    'invalid-configuration',
    `Reading prompts of the summarizer from "${path}": ${found}. Correct "promptsFolder" in the configuration, or leave it out for the built-in prompts.`,
  )
}

function readPrompt(folder: string, path: string): string | undefined {
  const inside = relative(folder, resolve(folder, path))
  // The name of a model is not checked for what a path may mean.
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined
  try {
    return readInputFile(resolve(folder, path)).toString('utf8')
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw code === undefined ? error : unreadable(resolve(folder, path), explainSystemError(error))
  }
}
