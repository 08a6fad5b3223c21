/**
 * The state at the end of a span: the request, the place, what was announced but not done, the last
 * steps.
 */

import { type Artifact, COMMIT_LINE } from '../actions/artifacts.ts'
import { isAnnouncement } from '../facts/decisions.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { splitSentences } from '../facts/sentences.ts'
import { isCheck } from './checks.ts'
import { findChecksToRun, findNamedChecks } from './checks-to-run.ts'
import { cleanText } from './clean.ts'
import { renderReport } from './collect-errors.ts'
import { describeOutcome, findKeyLine, nameCall } from './describe-call.ts'
import {
  type CallEvent,
  createGroup,
  type Draft,
  keyOfEvent,
  listChanged,
  type Placed,
  priorities,
} from './draft.ts'
import { isChatter } from './empty-sentences.ts'
import { findOpenPoints, listClosing } from './open-points.ts'

/** Over the last steps, oldest first: they come after all else. */
export const LAST_STEPS = 'The last steps:'

export function collectState(draft: Draft): void {
  const group = createGroup('state', 0)
  const say = (order: number, text: string | undefined, priority: number = priorities.state) => {
    if (text === undefined || draft.visible.tells(text)) return
    const entities = draft.vocabulary.read(text)
    draft.candidates.push({
      kind: 'state',
      group,
      order,
      text: `- ${text}`,
      entities,
      value: 3,
      priority,
    })
  }
  const request = draft.events.findLast(({ type }) => type === 'request')
  // Something has to be said even of a span in which the agent did nothing.
  if (request && request.turn > 0)
    say(0, `The last request that this record covers: [${request.turn}]`, 0)
  else if (draft.events.length > 0) say(0, `${draft.events.length} steps of one turn`, 0)
  say(1, findBranch(draft))
  say(1.1, draft.root === undefined ? undefined : `Folder: ${draft.root.slice(0, -1)}`)
  say(2, findUnchecked(draft))
  const checks = findChecksToRun(draft)
  say(2.1, checks.due, priorities.checks)
  say(2.15, checks.failed, priorities.checks)
  say(2.2, findNamedChecks(draft), priorities.checks)
  say(2.5, nameOpenArtifacts(draft))
  findOpenPoints(draft).forEach((text, index) => {
    say(3 + index, text)
  })
  const steps = createGroup('state', 1, `- ${LAST_STEPS}`)
  readLatest(draft).forEach(({ at, text, tells, isWords }, age) => {
    const entities = draft.vocabulary.read(text)
    // The agent's last words say more than any step.
    const priority = priorities.latestStep + (isWords ? 0 : 0.1) + age / 100
    draft.candidates.push({
      kind: 'state',
      group: steps,
      order: at,
      text,
      tells,
      entities,
      value: 3,
      priority,
    })
  })
}

const BRANCH =
  /\bgit (?:checkout|switch)(?: -[bBcC])? ([\w./-]{1,100})\s*$|\bgit (?:checkout|switch) -[bBcC] ([\w./-]{1,100})/
const ON_BRANCH = new RegExp(
  `^On branch (\\S{1,100})$|^Switched to (?:a new )?branch '([^'\\s]{1,100})'$|${COMMIT_LINE}`,
  'm',
)
const FARTHEST_PLACE = 2_000

/** In a digest, before the branch and before what was made outside of files. */
export const BRANCH_LABEL = 'Branch: '
export const MADE_LABEL = 'Made: '

/** The branch that was named last, by git or in a command that switched to it. */
function findBranch({ events, branch }: Draft): string | undefined {
  for (
    let index = events.length - 1;
    index >= Math.max(0, events.length - FARTHEST_PLACE);
    index--
  ) {
    const event = events[index]
    if (
      event?.type !== 'call' ||
      event.action.command === undefined ||
      event.outcome?.failed === true
    )
      continue
    const { command } = event.action
    if (!command.includes('git ')) continue
    const text = event.outcome?.text.slice(0, 4_000) ?? ''
    const shown = /\bgit (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$/.test(command)
      ? text.trim()
      : ''
    if (/^[\w./-]{1,100}$/.test(shown)) return `${BRANCH_LABEL}${shown}`
    const [, ...names] = ON_BRANCH.exec(text) ?? []
    const said = names.find((name) => name !== undefined)
    // In `detached HEAD` there is none.
    if (said !== undefined) return said.includes(' ') ? undefined : `${BRANCH_LABEL}${said}`
    const isOfFiles = /^Updated \d{1,9} paths? from /m.test(text)
    const [, ...places] = (isOfFiles ? null : BRANCH.exec(command)) ?? []
    const asked = places.find((name) => name !== undefined)
    // The one before, which is not known here.
    if (asked === '-') return undefined
    // Not a file, and not `.` or an option.
    if (asked !== undefined && !/\.\w{1,4}$|^[.-]/.test(asked)) return `${BRANCH_LABEL}${asked}`
  }
  return branch === undefined ? undefined : `${BRANCH_LABEL}${branch}`
}

const MOST_PATHS = 6

/** The files that were changed after the last check that went well. */
function findUnchecked({ events, isScratch }: Draft): string | undefined {
  const check = events.findLastIndex(
    (event) =>
      event.type === 'call' &&
      event.outcome !== undefined &&
      !event.outcome.failed &&
      !event.state &&
      isCheck(event.action),
  )
  const later = events.slice(check + 1)
  const paths = new Set(later.flatMap((event) => listChanged(event, isScratch)))
  if (paths.size === 0) return undefined
  const names = [...paths].slice(-MOST_PATHS).join(', ')
  const more = paths.size > MOST_PATHS ? ` and ${paths.size - MOST_PATHS} more` : ''
  return check < 0
    ? `Changed and not checked by a test or a build: ${names}${more}`
    : `Changed since the last check that passed: ${names}${more}`
}

const MOST_ARTIFACTS = 5

/**
 * What was made outside of files and continues: pull requests, issues, background tasks, a commit
 * that was not pushed.
 */
function nameOpenArtifacts({ artifacts }: Draft): string | undefined {
  const commit = artifacts.findLast(({ kind }) => kind === 'commit')
  const isOpen = (one: Artifact) =>
    one.state === 'open' || one.state === 'running' || one === commit
  const names = artifacts
    .filter(isOpen)
    .slice(-MOST_ARTIFACTS)
    .map((one) => {
      const url = one.url === undefined ? '' : `, ${one.url}`
      return `${one.kind} ${one.name} (${one.state}${url})`
    })
  return names.length === 0 ? undefined : `${MADE_LABEL}${cleanText(names.join('; '))}`
}

const MOST_STEPS = 6
const MOST_WORDS = 2
// The last words of the agent may come before more steps than are shown.
const FARTHEST_WORDS = 40
const LONGEST_WORDS = 400

interface LatestStep {
  readonly at: number
  readonly text: string
  readonly tells: readonly string[]
  readonly isWords: boolean
}

/** Newest first. Words that close a turn are shown with the request they answer. */
function readLatest(draft: Draft): LatestStep[] {
  const latest: LatestStep[] = []
  const closing = listClosing(draft)
  const named = new Set<string>()
  let steps = 0
  let words = 0
  const earliest = Math.max(0, draft.events.length - FARTHEST_WORDS)
  for (
    let index = draft.events.length - 1;
    index >= earliest && (steps < MOST_STEPS || words === 0);
    index--
  ) {
    const event = draft.events[index]
    const step =
      event?.type === 'call' && steps < MOST_STEPS ? readStep(draft, event, named) : undefined
    if (step && step.text !== latest.at(-1)?.text) {
      latest.push(step)
      steps++
    } else if (event?.type === 'request') break
    else if (event?.type === 'words' && steps > 0 && words < MOST_WORDS && !event.isCarried) {
      const said = closing.has(index) ? '' : readFinding(event.text)
      if (said !== '') {
        draft.stateWords.add(index)
        const text = `  ${clip(said, LONGEST_WORDS)}`
        latest.push({ at: event.at, text, tells: [keyOfEvent(event.at)], isWords: true })
      }
      words++
    }
  }
  return latest
}

//   \tnpm test (3×) → failed (exit 1)
//   \t  store_test.go:41: expected 3, got 5
/** A step, with its report if it failed and nothing fixed that. */
function readStep(
  draft: Draft,
  event: Placed<CallEvent>,
  named: Set<string>,
): LatestStep | undefined {
  const { at, action } = event
  const whole = nameCall(draft, event)
  if (whole === '' || action.kind === 'plan') return undefined
  // How often a command was run is told once, after the newest run.
  const name = named.has(whole) ? nameCall({ runs: new Map() }, event) : whole
  named.add(whole)
  const reports = draft.failures.get(at)?.map(renderReport) ?? []
  const line = findKeyLine(event)
  const tells = [keyOfEvent(at), ...reports, ...(line === undefined ? [] : [`\t${line}`])]
  const text = [
    `\t${name}${describeOutcome(event, draft.reported)}`,
    ...reports.map((one) => `\t  ${one.slice(1)}`),
  ]
  return { at, text: text.join('\n'), tells, isWords: false }
}

/** What was said, without code and without announcements of the next step. */
function readFinding(text: string): string {
  let isCode = false
  const lines = text.split('\n').filter((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    return !isFence && !isCode
  })
  const sentences = splitSentences(flatten(lines.join('\n')))
  const said = sentences.filter((sentence) => !isAnnouncement(sentence))
  return said.every(isChatter) ? '' : said.join(' ')
}
