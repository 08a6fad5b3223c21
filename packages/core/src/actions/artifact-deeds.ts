/**
 * Reads what a call makes outside files: pull requests, issues, comments, branches, tags, commits,
 * releases, tasks.
 */

import { isTemporary } from './shell-changes.ts'
import { readShellSteps } from './shell-steps.ts'
import { fieldNames, tools } from './tool-names.data.ts'

export type ArtifactKind =
  | 'pull request'
  | 'issue'
  | 'comment'
  | 'branch'
  | 'tag'
  | 'commit'
  | 'release'
  | 'background task'

export type ArtifactDeed =
  | 'created'
  | 'edited'
  | 'commented'
  | 'merged'
  | 'closed'
  | 'reopened'
  | 'deleted'
  | 'pushed'
  | 'replaced'
  | 'started'
  | 'ended'
  /** The outcome shows whether it has ended. */
  | 'asked'

/**
 * One thing that a call does, before its outcome is known. If the call does not contain the name,
 * the outcome does.
 */
export interface Deed {
  readonly kind: ArtifactKind
  readonly deed: ArtifactDeed
  /** `#12`, `!12`, the name of a branch or a tag, the hash of a commit, an id. */
  readonly name?: string
}

const COMMANDS = /\b(?:gh|git|glab)\b/

/** The deeds of a shell command, except those that run only if something fails. */
export function readShellDeeds(command: string): Deed[] {
  if (!COMMANDS.test(command)) return []
  return readShellSteps(command).flatMap(({ words, isSure, directory }) => {
    if (!isSure || isScratch(command, directory)) return []
    const texts = words.map(({ text, isPlain }) => (isPlain ? text : ''))
    const start = texts.findIndex(
      (text) => !/^(?:sudo|env|command|time|[A-Za-z_]\w*=.*)$/s.test(text),
    )
    const program = texts[start]
    const rest = texts.slice(start + 1)
    if (program === 'gh' || program === 'glab') return readForge(rest, program === 'gh' ? '#' : '!')
    const folder = words[start + 1]?.text === '-C' ? words[start + 2] : undefined
    if (
      program !== 'git' ||
      (folder && isScratch(command, folder.isPlain ? folder.text : undefined))
    )
      return []
    return readGit(rest)
  })
}

/** Whether the directory is temporary, so that nothing done there lasts. */
function isScratch(command: string, directory: string | undefined): boolean {
  return directory === undefined ? /\bmktemp\b/.test(command) : isTemporary(`${directory}/`)
}

const FORGE_KINDS = new Map<string, ArtifactKind>([
  ['pr', 'pull request'],
  ['mr', 'pull request'],
  ['issue', 'issue'],
  ['release', 'release'],
])
const FORGE_DEEDS = new Map<string, ArtifactDeed>([
  ['create', 'created'],
  ['new', 'created'],
  ['edit', 'edited'],
  ['update', 'edited'],
  ['ready', 'edited'],
  ['review', 'commented'],
  ['comment', 'commented'],
  ['note', 'commented'],
  ['merge', 'merged'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['delete', 'deleted'],
])

/** `gh pr merge 12 --squash` */
function readForge([noun = '', verb = '', ...rest]: readonly string[], sign: string): Deed[] {
  if (noun === 'api') return readForgeCall([verb, ...rest])
  const kind = FORGE_KINDS.get(noun)
  const deed = FORGE_DEEDS.get(verb)
  if (
    kind === undefined ||
    deed === undefined ||
    rest.includes('--help') ||
    rest.includes('--dry-run')
  )
    return []
  const [operand = ''] = rest.filter(
    (text, index) => text !== '' && !text.startsWith('-') && !isValueOf(rest[index - 1]),
  )
  const number = /^(?:[#!])?(\d{1,9})$|\/(?:pull|issues|merge_requests)\/(\d{1,9})$/.exec(operand)
  const named = number ? (kind === 'issue' ? '#' : sign) + (number[1] ?? number[2]) : undefined
  const name = kind === 'release' ? operand || undefined : deed === 'created' ? undefined : named
  return [{ kind, deed, name }]
}

/**
 * Whether the next word is the value of this option. Options of one letter and known flags have no
 * value.
 */
const isValueOf = (option: string | undefined): boolean =>
  option !== undefined &&
  /^(?:--(?:title|body|body-file|base|head|label|notes|notes-file|target|repo|assignee|reviewer|milestone|message|subject)|-[tbBHlFRnmra])$/.test(
    option,
  )

/** `gh api repos/o/r/pulls/12/comments -f body=…` */
function readForgeCall(words: readonly string[]): Deed[] {
  const sends = words.some((text) => /^(?:-f|-F|--field|--raw-field|--input)$/.test(text))
  const method = words[words.findIndex((text) => text === '-X' || text === '--method') + 1]
  const place = words
    .map((text) => /\/(pulls|issues)\/(\d{1,9})\/(?:comments|reviews)(?:\/|$)/.exec(text))
    .find(Boolean)
  if (!place || !(sends || method === 'POST') || method === 'GET') return []
  return [
    {
      kind: place[1] === 'pulls' ? 'pull request' : 'issue',
      deed: 'commented',
      name: `#${place[2]}`,
    },
  ]
}

function readGit(words: readonly string[]): Deed[] {
  const at = words.findIndex(
    (text, index) => !text.startsWith('-') && !/^-[cC]$/.test(words[index - 1] ?? ''),
  )
  const rest = words.slice(at + 1)
  const operands = rest.filter(
    (text, index) =>
      text !== '' && !text.startsWith('-') && !/^-[mFu]$/.test(rest[index - 1] ?? ''),
  )
  const [name] = operands
  const has = (...flags: string[]) => flags.some((flag) => rest.includes(flag))
  const after = (...flags: string[]) =>
    rest[rest.findIndex((text) => flags.includes(text)) + 1] || undefined
  if (has('--dry-run', '--help')) return []
  switch (words[at]) {
    case 'commit':
      return [{ kind: 'commit', deed: has('--amend') ? 'replaced' : 'created' }]
    case 'cherry-pick':
    case 'revert':
      return has('--abort', '-n', '--no-commit') ? [] : [{ kind: 'commit', deed: 'created' }]
    case 'push':
      return [{ kind: 'branch', deed: 'pushed' }]
    case 'checkout':
      return has('-b', '-B') ? [{ kind: 'branch', deed: 'created', name: after('-b', '-B') }] : []
    case 'switch':
      return has('-c', '-C', '--create')
        ? [{ kind: 'branch', deed: 'created', name: after('-c', '-C', '--create') }]
        : []
    case 'worktree':
      return name === 'add' && has('-b', '-B')
        ? [{ kind: 'branch', deed: 'created', name: after('-b', '-B') }]
        : []
    case 'branch':
      return readBranch(rest, operands)
    case 'tag':
      if (has('-d', '--delete'))
        return operands.map((tag): Deed => ({ kind: 'tag', deed: 'deleted', name: tag }))
      return name === undefined ||
        rest.some((text) =>
          /^(?:-l|--list|-n\d*|-v|--(?:contains|points-at|sort|merged).*)$/.test(text),
        )
        ? []
        : [{ kind: 'tag', deed: 'created', name }]
    default:
      return []
  }
}

function readBranch(rest: readonly string[], operands: readonly string[]): Deed[] {
  if (rest.some((text) => /^(?:-[dD]|--delete)$/.test(text)))
    return operands.map((name): Deed => ({ kind: 'branch', deed: 'deleted', name }))
  // Any other option lists, moves or describes branches.
  return rest.some((text) => text.startsWith('-')) || operands[0] === undefined
    ? []
    : [{ kind: 'branch', deed: 'created', name: operands[0] }]
}

const TOOL_NAME =
  /^(?:mcp__[\w-]+?__)?(?:\w+_)??(create|open|new|add|post|close|reopen|merge|delete|update|edit|save)_?(?:new_)?(issue_comment|pull_request_review_comment|issue|pull_request|merge_request|pr|mr|comment|reply|branch|tag|release)s?$/
const TOOL_KINDS = new Map<string, ArtifactKind>([
  ['issue', 'issue'],
  ['pull_request', 'pull request'],
  ['merge_request', 'pull request'],
  ['pr', 'pull request'],
  ['mr', 'pull request'],
  ['branch', 'branch'],
  ['tag', 'tag'],
  ['release', 'release'],
])
const TOOL_DEEDS = new Map<string, ArtifactDeed>([
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['merge', 'merged'],
  ['delete', 'deleted'],
  ['update', 'edited'],
  ['edit', 'edited'],
])
const NUMBER_FIELDS = [
  'issue_number',
  'issueNumber',
  'pull_number',
  'pullNumber',
  'pullRequestNumber',
  'merge_request_iid',
  'issue_iid',
  'number',
]
const NAME_FIELDS = ['branch', 'tag', 'tag_name', 'issueId', 'issue_id', 'id', 'name']

/**
 * The deeds of a tool by its name: `mcp__github__create_issue`, `merge_pull_request`, `KillShell`.
 */
export function readToolDeeds(tool: string, fields: ReadonlyMap<string, unknown>): Deed[] {
  const name = tool.toLowerCase().replaceAll('-', '_')
  const isStop = tools.stopTask.has(name)
  if (isStop || tools.pollTask.has(name)) {
    const deed = isStop ? 'ended' : 'asked'
    return [{ kind: 'background task', deed, name: readName(fields, fieldNames.session) }]
  }
  const found = TOOL_NAME.exec(name)
  if (!found) return []
  const [, verb = '', noun = ''] = found
  const number = readName(fields, NUMBER_FIELDS)
  const kind = TOOL_KINDS.get(noun)
  const given = number === undefined ? undefined : `#${number}`
  if (kind === undefined) {
    const about =
      noun.includes('pull') || NUMBER_FIELDS.slice(2, 6).some((field) => fields.has(field))
        ? 'pull request'
        : 'issue'
    const subject = given ?? readName(fields, ['issueId', 'issue_id'])
    return subject === undefined
      ? [{ kind: 'comment', deed: 'created' }]
      : [{ kind: about, deed: 'commented', name: subject }]
  }
  const state = readName(fields, ['state', 'status'])?.toLowerCase()
  const deed = state === 'closed' ? 'closed' : (TOOL_DEEDS.get(verb) ?? 'created')
  const isNumbered = kind === 'issue' || kind === 'pull request'
  const named =
    deed === 'created' && isNumbered ? undefined : (given ?? readName(fields, NAME_FIELDS))
  return [{ kind, deed, name: named }]
}

/** The first field that contains a name or a number. */
export function readName(
  fields: ReadonlyMap<string, unknown>,
  names: Iterable<string>,
): string | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && /^[\w@+./#-]{1,200}$/.test(value)) return value
  }
  return undefined
}
