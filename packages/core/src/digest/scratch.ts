/** Files that were made for a look, and not for the work: they are one line. */
import { isTemporary } from '../actions/shell-changes.ts'
import { createGroup, type Draft, type Event, priorities } from './draft.ts'

const SCRATCH_FOLDER = /\/(?:scratch|tmp|temp|sandbox|scratchpad)(?:\/|$)/i

/**
 * Finds scratch files: files in a temporary folder, or outside of the repository in a folder of
 * that name or run by a command, or made and removed again. A file that the user named in `said` is
 * none.
 */
export function createScratchCheck(
  events: readonly Event[],
  root: string | undefined,
  said: Iterable<string>,
): (path: string) => boolean {
  const run = new Set<string>()
  const made = new Set<string>()
  const removed = new Set<string>()
  for (const event of events) {
    if (event.type !== 'call') continue
    const { command, changes } = event.action
    // What a heredoc writes is often run by the same command.
    for (const [step] of (command ?? '').matchAll(RUN))
      for (const [word] of step.matchAll(FILE_NAME)) run.add(nameOf(word))
    if (event.outcome?.failed === true) continue
    if (event.isScratch) for (const { path } of changes) removed.add(path)
    else
      for (const { path, type } of changes) {
        if (type === 'created') made.add(path)
        if (type === 'deleted' && made.has(path)) removed.add(path)
        else if (type !== 'deleted') removed.delete(path)
      }
  }
  const isNamed = createNameCheck(events, root, said)
  return (path) => {
    if (isNamed(path)) return false
    if (isTemporary(path) || removed.has(path)) return true
    if (!isOutside(path, root)) return false
    if (SCRATCH_FOLDER.test(path)) return true
    // Without a root, files of the repository may be written with their whole path.
    return root !== undefined && made.has(path) && run.has(nameOf(path)) && !isDocument(path)
  }
}

const FILE_NAME = /(?<![\w./~-])[\w./~-]{1,200}\.\w{1,6}(?![\w/])/g
// `node --import=tsx/esm a.mts`, `./a.sh`, `/tmp/a`: `cat a.mts` or `code a.json` run nothing.
const RUN =
  /(?:(?<![\w.-])(?:node|npx|bunx?|deno|tsx|ts-node|jiti|pnpm|yarn|python[\d.]{0,5}|uv|ruby|perl|php|lua|Rscript|bash|sh|zsh|source|go|cargo|rustc|java|javac|gcc|cc|clang|swift|dotnet)(?= )|(?:^|[\n;&|({]) {0,8}(?:\.{1,2}|~)?\/)[^\n;&|]{1,400}/g

const isOutside = (path: string, root: string | undefined): boolean =>
  /^(?:\/|~|\.\.\/)/.test(path) &&
  !(root !== undefined && `${path}/`.startsWith(root.endsWith('/') ? root : `${root}/`))

const LONGEST_WORDS = 6_000
const MOST_FOLDERS = 40

/** `src/a.ts` in the user's words is no copy of it outside of the repository. */
function createNameCheck(
  events: readonly Event[],
  root: string | undefined,
  said: Iterable<string>,
): (path: string) => boolean {
  const words = new Set<string>()
  for (const text of said)
    for (const [word] of text.slice(0, LONGEST_WORDS).matchAll(FILE_NAME))
      words.add(word.replace(/^(?:~|\.)?\//, ''))
  const inside = new Set<string>()
  for (const event of events)
    if (event.type === 'call')
      for (const path of event.action.paths) if (!isOutside(path, root)) inside.add(nameOf(path))
  return (path) => {
    if (words.size === 0) return false
    const steps = path.replace(/^(?:~|\.)?\//, '').split('/', MOST_FOLDERS)
    if (words.has(steps.join('/'))) return true
    if (isOutside(path, root) && inside.has(nameOf(path))) return false
    return steps.some((_, index) => words.has(steps.slice(index).join('/')))
  }
}

// `cd $S/copy && npx vitest`: its tests are not those of the project.
const GOES_TO = /(?:\bcd|--root|--cwd|--prefix|\s-C)[ =]["']?([$/~.][^\s;&|"')]{0,200})/g
const IN_SCRATCH = /\/(?:scratch|tmp|temp|sandbox|scratchpad)(?![\w.-])/i

// `cat > $S/try.mjs <<'E'`
const WRITES_SCRIPT = />{1,2} ?["']?([$/~][^\s;&|"'<>)]{1,200})["']? ?<</g

/** Whether a command goes to a scratch folder and does its work there. */
export const worksInScratch = (command: string, root: string | undefined): boolean =>
  namesScratch(command, root, GOES_TO)

/** Whether a command writes a script to a scratch folder. */
export const writesScratch = (command: string, root: string | undefined): boolean =>
  namesScratch(command, root, WRITES_SCRIPT)

function namesScratch(command: string, root: string | undefined, pattern: RegExp): boolean {
  if (!IN_SCRATCH.test(command)) return false
  for (const [, place] of command.matchAll(pattern))
    if (place!.startsWith('$') || (IN_SCRATCH.test(place!) && isOutside(place!, root))) return true
  return false
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isDocument = (path: string): boolean => /\.(?:md|mdx|txt|rst)$/i.test(path)

const LONGEST_NAMES = 300
const LAST = 1e9

//   - 4 scratch files (created): /home/dev/scratch: dash.mts, num.mts; /tmp: fix.py and 1 more
export function collectScratch(draft: Draft): void {
  const made = new Set<string>()
  let unnamed = 0
  for (const event of draft.events) {
    if (event.type !== 'call' || event.outcome?.failed === true) continue
    unnamed = Math.max(unnamed, event.unnamed ?? 0)
    for (const { path, type } of event.action.changes) {
      made.delete(path)
      if (type !== 'deleted' && draft.isScratch(path)) made.add(path)
    }
  }
  const paths = [...made]
  if (paths.length + unnamed === 0) return
  const entities = draft.vocabulary.read(paths.join(' '))
  draft.candidates.push({
    kind: 'file',
    group: createGroup('changed', LAST),
    order: 0,
    text: renderScratch(paths.toReversed(), unnamed),
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
    // The line could not be read again.
    if (/[,;:] /.test(path)) continue
    const folder = path.slice(0, path.lastIndexOf('/')) || '.'
    const isNew = !folders.has(folder)
    length += nameOf(path).length + 2 + (isNew ? folder.length + 2 : 0)
    if (length > LONGEST_NAMES && named > 0) break
    folders.set(folder, [...(folders.get(folder) ?? []), nameOf(path)])
    named++
  }
  const count = paths.length + unnamed
  const list = [...folders].map(([folder, names]) => `${folder}: ${names.join(', ')}`).join('; ')
  const files = `- ${count} scratch file${count > 1 ? 's' : ''} (created)`
  if (named === 0) return files
  return `${files}: ${list}${count > named ? ` and ${count - named} more` : ''}`
}

const SCRATCH_LINE =
  /^(\d{1,6}) scratch files? \(created\)(?:: ([^\n]*?)(?: and (\d{1,6}) more)?)?$/

/** The files that such a line names, and how many more there were. Undefined for another line. */
export function readScratch(
  line: string,
): { readonly paths: string[]; readonly unnamed: number } | undefined {
  const [, count, list, more = '0'] = SCRATCH_LINE.exec(line) ?? []
  if (count === undefined) return undefined
  if (list === undefined) return { paths: [], unnamed: Number(count) }
  const paths = list.split('; ').flatMap((entry) => {
    const [folder = '', names = ''] = entry.split(': ')
    return names.split(', ').map((name) => (folder === '.' ? name : `${folder}/${name}`))
  })
  return { paths: paths.reverse(), unnamed: Number(more) }
}
