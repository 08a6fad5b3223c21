/** What calls change in files, and how to read it from patches. */

/** The change that one call made to one file, by lines. */
export interface FileChange {
  readonly path: string
  /** `restored`: as it was committed, by git. */
  readonly type: 'created' | 'edited' | 'deleted' | 'restored'
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

const HEADER = /^\*\*\* (Update|Add|Delete) File: (.+)$/

/** The files of an `*** Begin Patch` text, anywhere in the text. */
export function parsePatch(patch: string): FileChange[] {
  const changes: { path: string; type: FileChange['type']; removed: string[]; added: string[] }[] =
    []
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
      // Context lines are in both lists. They show the place, and are part of the present file.
      change?.removed.push(line.slice(1))
      change?.added.push(line.slice(1))
    }
  }
  return changes
}

/** The files of a unified diff. Lines around a change are on both sides of it. */
export function parseDiff(lines: readonly string[]): FileChange[] {
  const changes: { path: string; type: FileChange['type']; removed: string[]; added: string[] }[] =
    []
  let before = ''
  let isInside = false
  for (const line of lines) {
    const name = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]{1,300})/.exec(line)?.[1]
    if (line.startsWith('--- ') && name !== undefined) {
      before = name
      isInside = false
    } else if (line.startsWith('+++ ') && !isInside && name !== undefined) {
      const type = name === '/dev/null' ? 'deleted' : before === '/dev/null' ? 'created' : 'edited'
      changes.push({ path: type === 'deleted' ? before : name, type, removed: [], added: [] })
    } else if (line.startsWith('diff ')) isInside = false
    else if (line.startsWith('@@')) isInside = true
    else if (isInside) {
      const change = changes.at(-1)
      if (!line.startsWith('+')) change?.removed.push(line.slice(1))
      if (!line.startsWith('-')) change?.added.push(line.slice(1))
    }
  }
  return changes
}
