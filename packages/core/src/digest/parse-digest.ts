/** Takes an earlier digest apart, section by section. */
import type { Artifact } from '../actions/artifacts.ts'
import {
  type NamedTurn,
  readTurn,
  type SummarySection,
  summaryHeadings,
} from '../conversation/summary-layout.ts'
import { OTHER_LINES } from './collect-files.ts'
import { BRANCH_LABEL, LAST_STEPS, MADE_LABEL } from './collect-state.ts'
import type { WordsEvent } from './draft.ts'

export type EarlierDigest = NonNullable<ReturnType<typeof parseDigest>>

const SECTION_OF_HEADING = new Map(
  Object.entries(summaryHeadings).map(([section, heading]) => [
    `## ${heading}`,
    section as SummarySection,
  ]),
)

/**
 * Undefined if the text is not a digest but another summary. `before`: the text before its
 * sections, which is a model's.
 */
export function parseDigest(text: string) {
  const sections = new Map<SummarySection, string[]>()
  const before: string[] = []
  let lines = before
  for (const line of text.split('\n')) {
    const section = line.startsWith('## ') ? SECTION_OF_HEADING.get(line) : undefined
    if (section) {
      lines = sections.get(section) ?? []
      sections.set(section, lines)
    } else if (line !== '' || lines === before) lines.push(line)
  }
  if (sections.size === 0) return undefined
  const of = (section: SummarySection) => sections.get(section) ?? []
  return {
    before: before.join('\n'),
    conversation: parseConversation(of('conversation')),
    errors: parseGroups(of('errors')),
    changed: parseGroups(of('changed')),
    read: parseGroups(of('read')),
    commands: parseGroups(of('commands')),
    seen: parseGroups(of('seen')),
    place: of('state'),
    ...parseState(of('state')),
  }
}

export interface EarlierState {
  readonly branch: string | undefined
  readonly artifacts: readonly Artifact[]
}

//   - Branch: fix-limit
//   - Made: commit 1a2b3c4 (made); pull request #12 (open, https://example.com/pull/12)
/** What a digest says of the place. Undefined if there is none. */
export function readEarlierState(text: string | undefined): EarlierState | undefined {
  const place = text === undefined ? undefined : parseDigest(text)?.place
  if (place === undefined) return undefined
  const read = (label: string) =>
    place.find((line) => line.startsWith(`- ${label}`))?.slice(`- ${label}`.length)
  const branch = read(BRANCH_LABEL)
  const made = read(MADE_LABEL) ?? ''
  const artifacts = made.split('; ').flatMap((one): Artifact[] => {
    const [, kind, name = '', state, url] = MADE.exec(one) ?? []
    if (!isOneOf(KINDS, kind) || !isOneOf(STATES, state)) return []
    return [{ kind, name, state, url, deeds: [], branch: kind === 'commit' ? branch : undefined }]
  })
  return { branch, artifacts }
}

const MADE = /^([a-z ]{1,20}) (\S{1,200}) \(([a-z]{1,10})(?:, (\S{1,400}))?\)$/
// Whether a task in the background still runs is not known later.
const KINDS = ['commit', 'pull request', 'issue'] as const
const STATES = ['made', 'pushed', 'open'] as const

const isOneOf = <Word extends string>(
  words: readonly Word[],
  word: string | undefined,
): word is Word => words.some((one) => one === word)

const LAST_REQUEST = /^- The last request that this record covers: \[(\d{1,6})\]$/

//   - The last request that this record covers: [3]
//   - The last steps:
//     what was said before a step
//   	npm test → failed (exit 1)
//   	  store_test.go:41: expected 3, got 5
/**
 * The last turn, and the last steps with what was said before each. Words after all of them have no
 * name.
 */
function parseState(lines: readonly string[]): {
  readonly turn: number
  readonly steps: readonly EarlierGroup[]
} {
  const steps: EarlierGroup[] = []
  let said: string[] = []
  const start = lines.indexOf(`- ${LAST_STEPS}`)
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    if (line.startsWith('\t  ')) steps.at(-1)?.lines.push(line.slice(3))
    else if (line.startsWith('\t')) {
      steps.push({ name: line.slice(1), purposes: said, lines: [], otherLines: [] })
      said = []
    } else if (line.startsWith('  ')) said.push(line.slice(2))
    else break
  }
  if (said.length > 0) steps.push({ name: '', purposes: said, lines: [], otherLines: [] })
  const turn = lines.flatMap((line) => LAST_REQUEST.exec(line)?.[1] ?? [])[0]
  return { turn: Number(turn ?? 0), steps }
}

/** Blocks of the agent's words, each with its turn. */
function parseConversation(lines: readonly string[]): WordsEvent[] {
  const blocks: (Omit<WordsEvent, 'text'> & { text: string })[] = []
  let { turn, isAtFirst, shown }: NamedTurn = { turn: 0, isAtFirst: false }
  for (const line of lines) {
    const named = readTurn(line)
    const last = blocks.at(-1)
    if (named) ({ turn, isAtFirst, shown } = named)
    else if (/^(?: {2}|\t)/.test(line) && last) last.text += `\n${line.replace(/^ {2}/, '')}`
    else
      blocks.push({
        type: 'words',
        text: line.startsWith('- ') ? line.slice(2) : line,
        isCarried: true,
        turn,
        isAtFirst,
        shown,
        ...(turn === 0 ? { isRecord: true } : { isAnswer: true }),
      })
  }
  return blocks
}

/**
 * An item with the lines below it: `purposes` are prose, `lines` content, `otherLines` what the
 * agent did not write.
 */
export interface EarlierGroup {
  readonly name: string
  readonly purposes: string[]
  readonly lines: string[]
  readonly otherLines: string[]
}

function parseGroups(lines: readonly string[]): EarlierGroup[] {
  const groups: EarlierGroup[] = []
  let isOther = false
  for (const line of lines) {
    const group = groups.at(-1)
    if (line.startsWith('- ')) {
      groups.push({ name: line.slice(2), purposes: [], lines: [], otherLines: [] })
      isOther = false
    } else if (line.startsWith('\t'))
      (isOther ? group?.otherLines : group?.lines)?.push(line.slice(1))
    else if (line === `  ${OTHER_LINES}`) isOther = true
    else if (line.startsWith('  ')) group?.purposes.push(line.slice(2))
  }
  return groups
}
