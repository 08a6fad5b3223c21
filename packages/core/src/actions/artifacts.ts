/** What was made outside files, according to calls and their outcomes, and its later state. */

import type { ArtifactDeed, ArtifactKind, Deed } from './artifact-deeds.ts'
import { type CallOutcome, findSession } from './outcome.ts'

/** A deed that was done to something with a name. */
export interface ArtifactEvent {
  readonly kind: ArtifactKind
  readonly deed: ArtifactDeed
  /** `#12`, `!12`, a branch, a tag, a hash, an id, the address of a comment. */
  readonly name: string
  readonly url?: string
  /** For a commit: its branch. */
  readonly branch?: string
}

/** Something made outside files, in its last known state. */
export interface Artifact {
  readonly kind: ArtifactKind
  readonly name: string
  readonly url?: string
  readonly state:
    | 'open'
    | 'merged'
    | 'closed'
    | 'made'
    | 'pushed'
    | 'replaced'
    | 'deleted'
    | 'running'
    | 'ended'
  /** What was done to it, in order, without repetitions. */
  readonly deeds: readonly ArtifactDeed[]
  /** For a commit: its branch. */
  readonly branch?: string
}

export interface DoneCall {
  /** `session` is the running command that it asks about, if any. */
  readonly action: { readonly deeds?: readonly Deed[]; readonly session?: string }
  readonly outcome: CallOutcome
}

/**
 * The artifacts of actions, in order of first mention. Each is in the state after the last action.
 * `earlier`: those that were there before.
 */
export function traceArtifacts(
  done: Iterable<DoneCall>,
  earlier: readonly Artifact[] = [],
): Artifact[] {
  const reader = new ArtifactReader()
  const found = new Map(earlier.map((one) => [`${one.kind} ${one.name}`, one]))
  for (const { action, outcome } of done) {
    for (const { kind, deed, name, url, branch } of reader.read(action, outcome)) {
      const key = `${kind} ${name}`
      const known = found.get(key)
      const deeds = known?.deeds.includes(deed) ? known.deeds : [...(known?.deeds ?? []), deed]
      const state = stateAfter(kind, deed) ?? known?.state ?? (isNumbered(kind) ? 'open' : 'made')
      found.set(key, {
        kind,
        name,
        url: url ?? known?.url,
        state,
        deeds,
        branch: branch ?? known?.branch,
      })
      if (kind !== 'branch' || deed !== 'pushed') continue
      for (const [other, commit] of found) {
        const isOn = commit.kind === 'commit' && commit.branch === name && commit.state === 'made'
        if (isOn)
          found.set(other, { ...commit, state: 'pushed', deeds: [...commit.deeds, 'pushed'] })
      }
    }
  }
  return [...found.values()]
}

/** Reads actions in order, because a later action may report the end of an earlier one. */
export class ArtifactReader {
  /** By session. */
  readonly #running = new Map<string, DoneCall['action']>()
  #lastCommit: string | undefined

  /** What an action did outside files. Empty if it failed, or if the name is unknown. */
  read(action: DoneCall['action'], outcome: DoneCall['outcome']): ArtifactEvent[] {
    const begun =
      (action.session === undefined ? undefined : this.#running.get(action.session)) ?? action
    if (outcome.session !== undefined) this.#running.set(outcome.session, begun)
    if (outcome.failed) return []
    const beginning = { ...outcome, text: outcome.text.slice(0, LONGEST_OUTPUT) }
    const events = new Map<string, ArtifactEvent>()
    for (const deed of new Set([...(begun.deeds ?? []), ...(action.deeds ?? [])])) {
      for (const event of readEvents(deed, beginning, this.#lastCommit)) {
        events.set(`${event.deed} ${event.kind} ${event.name}`, event)
        if (event.kind === 'commit') this.#lastCommit = event.name
      }
    }
    const name = outcome.session
    return name !== undefined && findSession(beginning.text)
      ? [...events.values(), { kind: 'background task', deed: 'started', name }]
      : [...events.values()]
  }
}

const isNumbered = (kind: ArtifactKind): boolean => kind === 'pull request' || kind === 'issue'

function stateAfter(kind: ArtifactKind, deed: ArtifactDeed): Artifact['state'] | undefined {
  if (deed === 'created') return isNumbered(kind) ? 'open' : 'made'
  if (deed === 'reopened') return 'open'
  if (deed === 'started') return 'running'
  return deed === 'edited' || deed === 'commented' || deed === 'asked' ? undefined : deed
}

const ENDED =
  /^(?:<status>(?:completed|failed|killed|stopped)<\/status>|Agent (?:completed|failed|cancelled|is idle)\b)/m
const LONGEST_OUTPUT = 100_000

function readEvents(
  { kind, deed, name }: Deed,
  { text, exitCode }: CallOutcome,
  lastCommit: string | undefined,
): ArtifactEvent[] {
  if (deed === 'pushed') return readPushed(text)
  if (kind === 'commit') {
    const made = readCommits(text)
    const isReplaced = deed === 'replaced' && lastCommit !== undefined && made.length > 0
    return isReplaced ? [{ kind, deed, name: lastCommit }, ...made] : made
  }
  if (kind === 'comment') return readComment(text)
  if (deed === 'asked') {
    const isOver = exitCode !== undefined || ENDED.test(text)
    return name !== undefined && isOver ? [{ kind, deed: 'ended', name }] : []
  }
  // It is not merged yet, but after its checks have passed.
  if (deed === 'merged' && /\bauto-?merge\b|\bautomatically\b/i.test(text)) return []
  const found = findAddress(kind, text)
  const isTold = deed === 'created' || deed === 'edited'
  const given = name ?? (isTold ? (found?.name ?? findNumber(kind, text)) : findMerged(text))
  if (given === undefined) return []
  const url = found?.name === given ? found.url : undefined
  const event = { kind, deed, name: given, ...(url !== undefined && { url }) }
  return deed === 'commented' ? [event, ...readComment(text)] : [event]
}

/** How git begins the line about a commit that it made: `[main 1a2b3c4]`. Groups: branch, name. */
export const COMMIT_LINE = String.raw`^\[(detached HEAD|[^\s\]]{1,200})(?: \(root-commit\))? ([\da-f]{7,40})\]`
const COMMIT = new RegExp(COMMIT_LINE, 'gm')

function readCommits(text: string): ArtifactEvent[] {
  return [...text.matchAll(COMMIT)].map(([, branch, name = '']) => ({
    kind: 'commit',
    deed: 'created',
    name,
    branch,
  }))
}

const PUSHED =
  /^ [ *+-] (?:\[new (branch|tag|reference)\]|\[(deleted)\]|[\da-f]{7,40}\.{2,3}[\da-f]{7,40}) +(\S{1,200})(?: -> (\S{1,200}))?/

/** Reads the lines that a push prints after the address of the remote. */
function readPushed(text: string): ArtifactEvent[] {
  let isBelow = false
  return text.split('\n').flatMap((line): ArtifactEvent[] => {
    if (!line.startsWith(' '))
      isBelow = line.startsWith('To ') || (isBelow && line.startsWith('remote:'))
    const found = isBelow ? PUSHED.exec(line) : null
    if (!found) return []
    const [, made, isDeleted, from = '', to] = found
    return [
      {
        kind: made === 'tag' ? 'tag' : 'branch',
        deed: isDeleted ? 'deleted' : 'pushed',
        name: to ?? from,
      },
    ]
  })
}

const COMMENT =
  /https?:\/\/[^\s"'<>)\]]{1,300}#(?:issuecomment-|discussion_r|pullrequestreview-|note_)\d{1,20}/

function readComment(text: string): ArtifactEvent[] {
  const url = COMMENT.exec(text)?.[0]
  return url === undefined ? [] : [{ kind: 'comment', deed: 'created', name: url, url }]
}

const ADDRESSES: Readonly<Partial<Record<ArtifactKind, RegExp>>> = {
  'pull request': /https?:\/\/[^\s"'<>)\]]{1,300}?\/(pull|merge_requests)\/(\d{1,9})(?![\w/])/,
  issue: /https?:\/\/[^\s"'<>)\]]{1,300}?\/(issues?)\/(\d{1,9}|[A-Z][A-Z\d]{0,9}-\d{1,9})(?!\w)/,
  release: /https?:\/\/[^\s"'<>)\]]{1,300}?\/(releases\/tag|releases)\/([\w.+-]{1,100})/,
}

function findAddress(
  kind: ArtifactKind,
  text: string,
): { readonly name: string; readonly url: string } | undefined {
  const found = ADDRESSES[kind]?.exec(text)
  if (!found) return undefined
  const [url, place, id = ''] = found
  if (!/^\d+$/.test(id) || kind === 'release') return { name: id, url }
  return { name: `${place === 'merge_requests' ? '!' : '#'}${id}`, url }
}

/** `"number": 12` and `"identifier": "ENG-12"` in the answer of a tool, or `#12` in its text. */
function findNumber(kind: ArtifactKind, text: string): string | undefined {
  if (!isNumbered(kind)) return undefined
  const named = /"identifier": ?"([A-Z][A-Z\d]{0,9}-\d{1,9})"/.exec(text)?.[1]
  const number =
    /"(?:number|iid)": ?(\d{1,9})\b/.exec(text)?.[1] ?? /(?:^|[\s(])#(\d{1,9})\b/.exec(text)?.[1]
  return named ?? (number === undefined ? undefined : `#${number}`)
}

function findMerged(text: string): string | undefined {
  const number = /\b(?:merged|closed|reopened) (?:pull request|issue) \S{0,200}?#(\d{1,9})\b/i.exec(
    text,
  )?.[1]
  return number === undefined ? undefined : `#${number}`
}

/**
 * The spellings of a fact, each of which is enough to keep it: `pull request #12` is kept by `#12`
 * and by an address that ends with `pull/12`.
 */
export function formsOf({
  kind,
  text,
}: {
  readonly kind: string
  readonly text: string
}): readonly string[] {
  if (kind !== 'artifact') return [text]
  const name = text.slice(text.lastIndexOf(' ') + 1)
  const number = /^[#!]?((?:[A-Z]\w*-)?\d+)$/.exec(name)?.[1]
  if (number === undefined) return [name]
  if (text.startsWith('issue ')) return [name, `issues/${number}`, `issue/${number}`]
  return text.startsWith('pull request ')
    ? [name, `pull/${number}`, `merge_requests/${number}`]
    : [name]
}
