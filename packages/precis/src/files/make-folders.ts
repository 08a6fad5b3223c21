import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemErrorCode } from './errors.ts'

/**
 * Makes a private folder and those above it, and calls `onMade` with each, the outermost first.
 * Throws a system error. Node's own recursive form never ends below `/proc`, where none can be made.
 */
export function makeFolders(folder: string, onMade: (path: string) => void = () => {}): void {
  const missing: string[] = []
  let path = folder
  for (; !statSync(path, { throwIfNoEntry: false }); path = dirname(path)) missing.unshift(path)
  if (path === folder && !statSync(path).isDirectory()) missing.push(path)
  for (const made of missing) {
    try {
      mkdirSync(made, { mode: 0o700 })
      onMade(made)
    } catch (error) {
      // Another process was faster.
      if (systemErrorCode(error) !== 'EEXIST' || !statSync(made).isDirectory()) throw error
    }
  }
}
