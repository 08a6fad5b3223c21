/**
 * Names in text as facts. Something that only looks like a path, a commit or a number with a unit
 * is not a fact.
 */

import { namePath } from '../actions/paths.ts'
import { atOnce, type Steps } from '../conversation/steps.ts'
import { type EntityKind, scanEntitiesInSteps } from './entities.ts'

/** Called for each occurrence of a name. */
export type VisitName = (kind: EntityKind, name: string) => void

export const scanNames = (
  text: string,
  workingDirectory: string | undefined,
  visit: VisitName,
): void => atOnce(scanNamesInSteps(text, workingDirectory, visit))

export function* scanNamesInSteps(
  text: string,
  workingDirectory: string | undefined,
  visit: VisitName,
): Steps<void> {
  yield* scanEntitiesInSteps(text, (kind, name, start) => {
    if (kind === 'path') readPath(text, name, start, workingDirectory, visit)
    else if (kind === 'commit') {
      if (isCommit(text, name, start)) visit(kind, name)
    } else if (kind === 'number-with-unit') {
      if (!BARE_NUMBER.test(name)) visit(kind, name)
    } else if (kind === 'version') {
      const isPlace = SECTION.test(text.slice(Math.max(0, start - CONTEXT), start))
      if (isPlace || NO_VERSION.test(name)) visit('identifier', name)
      // `v6.0.0/go.mod`
      else visit(kind, name.replace(/\/.*/, ''))
    } else if (kind !== 'identifier' || text[start - 1] !== '#' || !COLOUR.test(name))
      visit(kind, name)
  })
}

const COLOUR = /^[\da-f]{3,8}$/i
// 8443, 25_000
const BARE_NUMBER = /^[\d_]+$/
// `Section 8.1.1`
const SECTION = /(?:\b(?:section|chapter|clause|table|figure|appendix|annex)|§) ?$/i
// 127.0.0.1, 10.0.0.0/8, 1.2.840.10008.1
const NO_VERSION = /^(?:(?:\d{1,3}\.){3}\d{1,3}(?:\/|$)|(?:\d+\.){4})/

const TOP_LEVEL =
  'com|org|net|io|dev|ai|app|co|in|me|edu|gov|cloud|so|tv|xyz|us|uk|de|fr|eu|ch|nl|jp|cn|info|tech|page|site|example|local'
// `github.com/spf13/cobra`, `k8s.io/api/core/v1`
const HOST_LED = new RegExp(`^[\\w-]+(?:\\.[\\w-]+)*\\.(?:${TOP_LEVEL})(?:/|$)`, 'i')
// A branch, a package.
const REFERENCE = /^(?:refs\/|origin\/|upstream\/|@[\w.-]+\/)/
// `s/a/b/g`, `/a/g`, 2026/11/25, `v6.0.0/go.mod`, /dev/null, and `/.git`, which every tool leaves out
const NO_PATH =
  /\/\/|^(?:\.{0,2}\/)?\.(?:git|hg|svn)\/?$|^(?:s|y|m|tr)\/[^.]*$|^\/[^/]*\/[gimsuy]{1,4}$|^\d+\/|^v\d[^/]*\/go\.mod$|^\/9j\/|^\/dev\/(?:null|zero|tty|std\w+)$|[A-Za-z0-9+]{64}/
const MEMBER_EXTENSIONS = /\.(?:log|env|lock|diff|patch|sum|mod|proto|conf|cfg|c|h|map)$/
// `tt.cfg` in code
const SHORT_MEMBER = /^[a-z]{1,2}\.(?:log|env|diff|proto|conf|cfg|map)$/
const OBJECTS =
  /^(?:console|process|math|meta|import\.meta|self|this|np|module|window|global|os)\./i
const LIBRARY =
  /^(?:node|next|vue|nuxt|express|react|three|d3|discord|alpine|chart|moment|ember|solid|backbone)\.js$/i
// `metadataDir/context.md`
const VARIABLE_LED = /^[a-z]\w{0,40}(?:Dir|Directory|Path|Root|Folder)\/(?=[^/]*\.)/
// `%s/a.ts`, `*_test.go`, `src/stanza*.go`, `agent-<id>`: forms of names
const FORM_BEFORE = /[%@]$/
const FORM_AFTER = /^(?:[*{$]|[-_.](?:[*{$%]|<\w))/
// `${root}/a.ts`, `…/a.ts`, `**/a.ts`, `<id>/a.ts`, `root + "/a.ts"`, `"$root"/a.ts`
const END_BEFORE = /[})*…]$|<[\w -]{1,30}>$|\+ ?["'`]$|[\w})]["']$/
const STRING_PREFIX = /(?:^|\W)[bfru]{1,2}["']$/i
const MARKUP = /<(?:br|hr|p|li|td|th|dd|div|span|code|pre|b|i|em|strong|a)>$/i
// `from "../src/a.js"`: relative to the file that contains it.
const IMPORT = /\b(?:from|import|require|mock)\s?\(?\s?["'`]$/
const CONTEXT = 40
// `cmd/main.go-919-//`, as grep writes lines around a match
const GREP_PLACE = /^(.{1,200}\.\w{1,5})-\d{1,6}(?:-.*)?$/

function readPath(
  text: string,
  found: string,
  start: number,
  root: string | undefined,
  visit: VisitName,
): void {
  const end = start + found.length
  const [before, after] = [
    text.slice(Math.max(0, start - CONTEXT), start),
    text.slice(end, end + 3),
  ]
  if (FORM_BEFORE.test(before) || FORM_AFTER.test(after)) return
  if (before.endsWith('*') && !found.startsWith('/')) return
  if (found.startsWith('.') && IMPORT.test(before)) return
  let name = GREP_PLACE.exec(found)?.[1] ?? found
  name = name.replace(/^(?:-[A-Za-z](?=\/)|[-+]+(?=[\w./~])|\.{3,}\/?)/, '')
  if (before.endsWith('$')) name = `$${name}`
  else if (isEnd(before, after)) name = name.replace(/^\/+/, '')
  name = name.replace(VARIABLE_LED, '')
  if (name.length < 4 || NO_PATH.test(name)) return
  if (name.includes('/')) {
    const isReference = HOST_LED.test(name) || REFERENCE.test(name)
    if (isReference && !name.startsWith('@/')) visit('identifier', name)
    else visit('path', namePath(name, root))
    return
  }
  // `console.log(`, `cmd.Env`, `you@example.rs`, `Next.js`
  if (!/\.(?:[a-z\d]+|[A-Z\d]+)$/.test(name) || name.includes('@') || LIBRARY.test(name)) return
  if (SHORT_MEMBER.test(name)) return
  if (MEMBER_EXTENSIONS.test(name) && (/^[([=]/.test(after) || OBJECTS.test(name))) return
  visit('path', namePath(name, root))
}

/** Whether a path follows its own beginning, so that only its end is there. */
function isEnd(before: string, after: string): boolean {
  if (!END_BEFORE.test(before) || STRING_PREFIX.test(before)) return false
  // `<path>/a/b.ts</path>`, `<br>/a/b.ts`
  return !before.endsWith('>') || !(after.startsWith('</') || MARKUP.test(before))
}

const IDS =
  /\b(?:blob|tree|object|md5|sha1|sha256|checksum|digest|etag|session|container|image|cell|process|task|agent|request|trace|span|chunk|checkpoint|build)s?(?:[ _-]?id)?["'\]]?\s?[:=]?\s?["'`]?$/i
// `"sha": "210246d"` is a commit. `expected: "210246d"` may be any text.
const COMMIT_LABEL = /commit|sha|oid|rev|head|base|parent|ref|hash|git/i
const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/i
const UUID_REACH = 36
const SHORT_COMMIT = 12
const WHOLE_COMMIT = 40

function isCommit(text: string, name: string, start: number): boolean {
  if (name.length > SHORT_COMMIT && name.length !== WHOLE_COMMIT) return false
  if (/^ed25519$/i.test(name)) return false
  const end = start + name.length
  const [before = ' ', after = ' '] = [text[start - 1], text[end]]
  if (before === '#' || after === '/' || (after === '.' && /\w/.test(text[end + 1] ?? '')))
    return false
  if (before === '.' && text[start - 2] !== '.') return false
  const line = text.slice(Math.max(0, start - UUID_REACH), start)
  const isQuoted = (before === '"' || before === "'") && before === after
  if (isQuoted && !COMMIT_LABEL.test(line.slice(line.lastIndexOf('\n') + 1))) return false
  if (before === '/' && !/(?:commits?|tree|blob|compare|raw)\/$/.test(line)) return false
  if (before === '-' || after === '-')
    return !UUID.test(text.slice(Math.max(0, start - UUID_REACH), end + UUID_REACH))
  // The blobs of a diff: `index 8e4f62e..a39d1c4 100644`
  return !IDS.test(line) && !/\bindex (?:[\da-f]{7,40}\.\.)?$/.test(line)
}

/**
 * Decides by the other paths whether a path without an extension is one. For `cmd/cli/agent`, a
 * file below it or next to it has to be known, unless it begins where all systems have folders.
 * `net/http/httptest`, `added/changed/removed` and `/oauth/token` look the same.
 */
export function createPathCheck(paths: Iterable<string>): (path: string) => boolean {
  const directories = new Set<string>()
  for (const path of paths) {
    if (!isSure(path)) continue
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end)
      if (directories.has(directory)) break
      // As seen from any place above it.
      for (let from = 0; from >= 0; from = directory.indexOf('/', from + 1)) {
        directories.add(from === 0 ? directory : directory.slice(from + 1))
      }
    }
  }
  return (path) =>
    isSure(path) || directories.has(path) || directories.has(path.slice(0, path.lastIndexOf('/')))
}

const isSure = (path: string): boolean => SURE.test(path)
const SURE =
  /^[~$]|\.\w{1,10}$|^\/(?:Users|home|root|tmp|var|etc|usr|opt|bin|sbin|lib\d*|dev|proc|sys|run|mnt|media|srv|private|Applications|Library|System|Volumes|nix|snap|workspaces?|testbed)(?:\/|$)/
