/** What one call did to one file, by lines. */
export interface FileChange {
  readonly path: string
  readonly type: 'created' | 'edited' | 'deleted'
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

const HEADER = /^\*\*\* (Update|Add|Delete) File: (.+)$/

/** The files of an `*** Begin Patch` text, as Codex writes it, wherever in the text it stands. */
export function parsePatch(patch: string): FileChange[] {
  const changes: { path: string; type: FileChange['type']; removed: string[]; added: string[] }[] = []
  for (const line of patch.split('\n')) {
    const header = line.startsWith('*** ') ? HEADER.exec(line) : null
    if (header) {
      const type = header[1] === 'Add' ? 'created' : header[1] === 'Delete' ? 'deleted' : 'edited'
      changes.push({ path: header[2]!.trim(), type, removed: [], added: [] })
      continue
    }
    if (line.startsWith('*** End Patch')) break
    const change = changes.at(-1)
    if (line.startsWith('+')) change?.added.push(line.slice(1))
    else if (line.startsWith('-')) change?.removed.push(line.slice(1))
    else if (line.startsWith(' ')) {
      // Context stands before and after: it shows where, and it is current.
      change?.removed.push(line.slice(1))
      change?.added.push(line.slice(1))
    }
  }
  return changes
}
