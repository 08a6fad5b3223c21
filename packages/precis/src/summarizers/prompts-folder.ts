import { readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { PromptSource } from '@precis/core/summarizers'
import { systemErrorCode } from '../system-error.ts'

/** Prompts of the person: that for the model, else that for the provider, else the general one. What cannot be read is not there. */
export function openPromptsFolder(folder: string): PromptSource {
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

function readPrompt(folder: string, path: string): string | undefined {
  const inside = relative(folder, resolve(folder, path))
  // The name of a model is not checked for what a path may mean.
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined
  try {
    return readFileSync(resolve(folder, path), 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}
