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
      const hash = readHash(text, name, start)
      if (hash) visit(hash, name)
    } else if (kind === 'number-with-unit') {
      if (!BARE_NUMBER.test(name) && !countsOutput(text, name, start)) visit(kind, name)
    } else if (kind === 'url') {
      const end = start + name.length
      const isForm = ONLY_HOST.test(name) && FORM_OF_REST.test(text.slice(end, end + 3))
      if (HOST.test(name) && !isForm) visit(kind, name)
    } else if (kind === 'version') {
      const isPlace = SECTION.test(text.slice(Math.max(0, start - CONTEXT), start))
      if (isPlace || NO_VERSION.test(name)) visit('identifier', name)
      // `v6.0.0/go.mod`
      else visit(kind, name.replace(/\/.*/, ''))
    } else if (!STATE.test(name) && (text[start - 1] !== '#' || !COLOUR.test(name)))
      visit(kind, name)
  })
}

/** `…49173 tokens truncated…`, `Found 10 files`, `(End of file - total 9 lines)`: a tool counts what it shows or leaves out. */
function countsOutput(text: string, name: string, start: number): boolean {
  const end = start + name.length
  return (
    LEFT_OUT.test(text.slice(end, end + CONTEXT)) ||
    COUNT_LED.test(text.slice(Math.max(0, start - CONTEXT), start))
  )
}

const COUNT_LED = /(?:^|\n)(?:Found |\(End of file - total )$/
const LEFT_OUT = /^ (?:\w+ )?(?:truncated|omitted|hidden)\b/
// `https://|credential` is a pattern.
const HOST = /^https?:\/\/[\w[$]/
// `https://host/${owner}/a`, `https://host/{id}`: what is left names nothing.
const ONLY_HOST = /^https?:\/\/[^/]*\/?$/
const FORM_OF_REST = /^(?:\$?[{(]|<\w)/
// How a task, a check or a review stands.
const STATE = /^(?:in_progress|not_started|timed_out|action_required|changes_requested)$/i

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
  /\/\/|^(?:\.{0,2}\/)?\.(?:git|hg|svn)\/?$|^(?:s|y|m|tr)\/[^.]*$|^\/[^/]*\/[gimsuy]{1,4}$|^\d+\/|^v\d[^/]*\/go\.mod$|^\/9j\/|\bREDACTED\b|^\/dev\/(?:null|zero|tty|std\w+)$|[A-Za-z0-9+]{64}/
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
const END_BEFORE =
  /[})*…]$|<[\w -]{1,30}>$|\+ ?["'`]$|[\w})]["']$|(?:ends_?[wW]ith|HasSuffix)\([^()]{0,30}["'`]$/
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
  if (after.startsWith('…') && !/\.\w{1,7}$/.test(found)) return
  if (found.startsWith('.') && IMPORT.test(before)) return
  let name = GREP_PLACE.exec(found)?.[1] ?? found
  name = name.replace(/^(?:-[A-Za-z](?=\/)|[-+]+(?=[\w./~])|\.{3,}\/?)/, '')
  if (/[\w:}]\/?\$$/.test(before)) name = name.replace(/^\w*\//, '')
  else if (before.endsWith('$')) name = `$${name}`
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

const LABEL_END = '(?:[ _-]?id)?["\'\\]>]?\\s?[:=]?\\s?["\'`]?$'
const CONTENT = new RegExp(
  `(?:\\b|\\\\[nrt])(?:blob|tree|object|md5|sha1|sha256|checksum|digest|etag|image|cell|span|chunk|build)s?${LABEL_END}`,
  'i',
)
// `session 210246d`, `agentId: 210246d`, `<task_id>210246d`, `"id": "210246d"`
const OWNED_ID = new RegExp(
  `(?:\\b|\\\\[nrt])(?:session|container|process|task|agent|request|trace|checkpoint)s?${LABEL_END}|(?<![\\w-]|commit )id["']?\\s?[:=]\\s?["'\`]?$`,
  'i',
)
// `"sha": "210246d"` is a commit. `expected: "210246d"` may be any text.
const COMMIT_LABEL = /commit|sha|oid|rev|head|base|parent|ref|hash|git/i
const LABEL_REACH = 36
const SHORT_COMMIT = 12
const WHOLE_COMMIT = 40

/** What a run of hexadecimal digits is. Undefined if it is a part, an example or a checksum. */
function readHash(text: string, name: string, start: number): 'commit' | 'identifier' | undefined {
  const line = text.slice(Math.max(0, start - LABEL_REACH), start)
  if (!isWhole(text, name, start, line) || isMadeUp(name) || /^ed25519$/i.test(name))
    return undefined
  if (OWNED_ID.test(line)) return 'identifier'
  // The blobs of a diff: `index 8e4f62e..a39d1c4 100644`
  if (CONTENT.test(line) || /\bindex (?:[\da-f]{7,40}\.\.)?$/.test(line)) return undefined
  const before = line.at(-1)
  const isQuoted = (before === '"' || before === "'") && before === text[start + name.length]
  const isLabelled = COMMIT_LABEL.test(line.slice(line.lastIndexOf('\n') + 1))
  return isQuoted && !isLabelled ? undefined : 'commit'
}

/** `line` ends where the digits begin. */
function isWhole(text: string, name: string, start: number, line: string): boolean {
  if (name.length > SHORT_COMMIT && name.length !== WHOLE_COMMIT) return false
  const end = start + name.length
  const [before, after] = [line.at(-1), text[end]]
  if (before === '#' || after === '/' || (after === '.' && /\w/.test(text[end + 1] ?? '')))
    return false
  if (before === '.' && line.at(-2) !== '.') return false
  if (before === '/' && !/(?:commits?|tree|blob|compare|raw)\/$/.test(line)) return false
  // A version of Go ends with a date and a commit.
  if (before === '-' && !/[.-]\d{14}-$/.test(line)) return false
  return after !== '-' || text.startsWith('-dirty', end)
}

// Of seven random digits, 1 of 500 hashes has as many.
const ORDERED_SHARE = 0.6
const INTERLEAVED_SHARE = 0.8

/** `abc1234`, `def5678`, `a1b2c3d4`, `aaa1111`: an example, written by a person. */
function isMadeUp(hash: string): boolean {
  const countOrdered = (distance: number) => {
    let ordered = 0
    for (let at = distance; at < hash.length; at++) {
      const step = hash.charCodeAt(at) - hash.charCodeAt(at - distance)
      if (step === 0 || step === 1) ordered++
    }
    return ordered / (hash.length - distance)
  }
  return countOrdered(1) >= ORDERED_SHARE || countOrdered(2) >= INTERLEAVED_SHARE
}

/**
 * Decides by the other paths whether a path without an extension is one. For `cmd/cli/agent`, a
 * file below it or next to it has to be known, unless it begins where all systems have folders.
 * `net/http/httptest`, `added/changed/removed` and `/oauth/token` look the same.
 */
export function createPathCheck(paths: Iterable<string>): (path: string) => boolean {
  const directories = new Set<string>()
  for (const whole of paths) {
    if (!isSure(whole)) continue
    const path = whole.split('/').slice(-MOST_FOLDERS).join('/')
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

// Each folder has as many places above it.
const MOST_FOLDERS = 40

const isSure = (path: string): boolean => SURE.test(path)
const SURE =
  /^[~$]|\.\w{1,10}$|^\/(?:Users|home|root|tmp|var|etc|usr|opt|bin|sbin|lib\d*|dev|proc|sys|run|mnt|media|srv|private|Applications|Library|System|Volumes|nix|snap|workspaces?|testbed)(?:\/|$)/
