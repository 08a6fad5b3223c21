/** Files that were made for a look, and not for the work: they are one line. */
import { isTemporary } from '../actions/shell-changes.ts'
import { createGroup, type Draft, type Event, priorities } from './draft.ts'

const SCRATCH_FOLDER = /\/(?:scratch|tmp|temp|sandbox|scratchpad)(?:\/|$)/i

/**
 * Finds scratch files: files in a temporary folder, or outside of the repository in a folder of
 * that name or run by a command, or made and removed again.
 */
export function createScratchCheck(
  events: readonly Event[],
  root: string | undefined,
): (path: string) => boolean {
  const run = new Set<string>()
  const made = new Set<string>()
  const removed = new Set<string>()
  for (const event of events) {
    if (event.type !== 'call') continue
    const { command, changes } = event.action
    // What a heredoc writes is often run by the same command.
    for (const [word] of (command ?? '').matchAll(FILE_NAME)) run.add(nameOf(word))
    if (event.outcome?.failed === true) continue
    if (event.isScratch) for (const { path } of changes) removed.add(path)
    else
      for (const { path, type } of changes) {
        if (type === 'created') made.add(path)
        if (type === 'deleted' && made.has(path)) removed.add(path)
        else if (type !== 'deleted') removed.delete(path)
      }
  }
  return (path) => {
    if (isTemporary(path) || removed.has(path)) return true
    const isOutside =
      /^(?:\/|~|\.\.\/)/.test(path) && !(root !== undefined && path.startsWith(`${root}/`))
    return (
      isOutside &&
      (SCRATCH_FOLDER.test(path) || (made.has(path) && run.has(nameOf(path)) && !isDocument(path)))
    )
  }
}

const FILE_NAME = /[\w./~-]{1,200}\.\w{1,6}(?![\w/])/g

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isDocument = (path: string): boolean => /\.(?:md|mdx|txt|rst)$/i.test(path)

const LONGEST_NAMES = 300
const LAST = 1e9

//   - 4 scratch files (created): /home/dev/scratch: dash.mts, num.mts; /tmp: fix.py and 1 more
export function collectScratch(draft: Draft): void {
  const paths = new Set<string>()
  let unnamed = 0
  for (const event of draft.events) {
    if (event.type !== 'call' || event.outcome?.failed === true) continue
    unnamed = Math.max(unnamed, event.unnamed ?? 0)
    for (const { path } of event.action.changes)
      if (draft.isScratch(path)) {
        paths.delete(path)
        paths.add(path)
      }
  }
  if (paths.size === 0) return
  const entities = draft.vocabulary.read([...paths].join(' '))
  draft.candidates.push({
    kind: 'file',
    group: createGroup('changed', LAST),
    order: 0,
    text: renderScratch([...paths].reverse(), unnamed),
    entities,
    value: 1,
    priority: priorities.changedFile + 0.99,
  })
}

function renderScratch(paths: readonly string[], unnamed: number): string {
  const folders = new Map<string, string[]>()
  let length = 0
  let named = 0
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/')) || '.'
    const isNew = !folders.has(folder)
    length += nameOf(path).length + 2 + (isNew ? folder.length + 2 : 0)
    if (length > LONGEST_NAMES && named > 0) break
    folders.set(folder, [...(folders.get(folder) ?? []), nameOf(path)])
    named++
  }
  const count = paths.length + unnamed
  const list = [...folders].map(([folder, names]) => `${folder}: ${names.join(', ')}`).join('; ')
  const more = count > named ? ` and ${count - named} more` : ''
  return `- ${count} scratch file${count > 1 ? 's' : ''} (created): ${list}${more}`
}

const SCRATCH_LINE = /^\d{1,6} scratch files? \(created\): ([^\n]*?)(?: and (\d{1,6}) more)?$/

/** The files that such a line names, and how many more there were. Undefined for another line. */
export function readScratch(
  line: string,
): { readonly paths: string[]; readonly unnamed: number } | undefined {
  const [, list, more] = SCRATCH_LINE.exec(line) ?? []
  if (list === undefined) return undefined
  const paths = list.split('; ').flatMap((entry) => {
    const [folder = '', names = ''] = entry.split(': ')
    return names.split(', ').map((name) => (folder === '.' ? name : `${folder}/${name}`))
  })
  return { paths: paths.reverse(), unnamed: Number(more ?? 0) }
}
