import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemErrorCode } from './errors.ts'

// Processes that make and remove the same folder meet again and again.
const MOST_TRIES = 20

/**
 * Makes a private folder and those above it, and calls `onMade` with each, the outermost first.
 * Then calls `write`, which puts something into it. Throws a system error. Node's own recursive
 * form never ends below `/proc`, where none can be made.
 */
export function makeFolders(
  folder: string,
  onMade: (path: string) => void = () => {},
  write: () => void = () => {},
): void {
  for (let tries = 1; ; tries++) {
    try {
      for (const missing of findMissing(folder)) makeFolder(missing, onMade)
      write()
      return
    } catch (error) {
      // Another process may have removed one meanwhile.
      if (systemErrorCode(error) !== 'ENOENT' || tries === MOST_TRIES) throw error
    }
  }
}

function findMissing(folder: string): string[] {
  const missing: string[] = []
  let path = folder
  while (!statSync(path, { throwIfNoEntry: false })) {
    missing.unshift(path)
    // A drive that is not there is above itself.
    if (dirname(path) === path) break
    path = dirname(path)
  }
  return path === folder && missing.length === 0 && !statSync(path).isDirectory() ? [path] : missing
}

function makeFolder(path: string, onMade: (path: string) => void): void {
  try {
    mkdirSync(path, { mode: 0o700 })
    onMade(path)
  } catch (error) {
    // Another process was faster.
    if (systemErrorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}
