import type { CallView } from '../strategy.ts'

/**
 * Reads of files that were all written again later, in order. A write that failed or still waits changes nothing, and of
 * a pattern nobody knows which files it named.
 */
export function findStaleReads(calls: readonly CallView[]): CallView[] {
  const written = new Set<string>()
  const stale: CallView[] = []
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index]!
    if (call.kind === 'write' && call.failed === false) for (const path of call.paths) written.add(path)
    if (isReadOfFiles(call) && call.paths.every((path) => written.has(path))) stale.push(call)
  }
  return stale.reverse()
}

export function isReadOfFiles({ kind, paths }: CallView): boolean {
  return kind === 'read' && paths.length > 0 && !paths.some((path) => /[*?]/.test(path))
}
