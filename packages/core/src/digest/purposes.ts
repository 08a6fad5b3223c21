/** What an edit was for: the words before it, or the task that was active. */
import { isAnnouncement } from '../facts/decisions.ts'
import { flatten } from '../facts/flatten.ts'
import { splitSentences } from '../facts/sentences.ts'
import type { Event, Purpose } from './draft.ts'
import { isChatter, isStatus } from './empty-sentences.ts'

// Longer words are more than the purpose of one edit.
const LONGEST_WORDS = 500
const LONGEST_PURPOSE = 280
const SHORTEST_REST = 8
// Reads and searches may come between words and the edit they announce.
const FARTHEST = 6

/**
 * The purposes of the edits that were made, by their position: words before one that failed are for
 * the next one.
 */
export function findPurposes(events: readonly Event[]): Map<number, Purpose> {
  const purposes = new Map<number, Purpose>()
  events.forEach((event, index) => {
    if (event.type !== 'call' || event.action.kind !== 'write' || event.outcome?.failed === true)
      return
    const purpose = findPurpose(events, index, event.action.paths)
    if (purpose) purposes.set(index, purpose)
  })
  return purposes
}

/**
 * The words right before an edit that was made, about that edit. They are shown next to the file
 * instead.
 */
export function findPurposeWords(
  events: readonly Event[],
  purposes: ReadonlyMap<number, Purpose>,
): Set<number> {
  const found = new Set<number>()
  for (const { words } of purposes.values()) {
    if (words === undefined) continue
    const event = events[words]
    const next = events[words + 1]
    if (event?.type !== 'words' || event.text.length > LONGEST_WORDS || next?.type !== 'call')
      continue
    if (next.action.kind === 'write' && next.action.paths.length > 0) found.add(words)
  }
  return found
}

/** Undefined when the agent wrote nothing since the last request, or nothing about this. */
function findPurpose(
  events: readonly Event[],
  edit: number,
  paths: readonly string[],
): Purpose | undefined {
  for (let index = edit - 1; index >= 0 && index >= edit - FARTHEST; index--) {
    const event = events[index]
    if (event?.type === 'request') return undefined
    if (event?.type === 'words') {
      const text = shorten(event.text, paths)
      return text === '' ? undefined : { text, words: index }
    }
    if (event?.type !== 'call') continue
    // Words before a change of the plan are about the plan, and those before a command about the
    // command.
    const { kind, tasks } = event.action
    if (kind === 'plan') {
      const text = tasks.find((task) => task.status === 'active' && task.text !== undefined)?.text
      return text === undefined ? undefined : { text, words: undefined }
    }
    if (kind === 'command') return undefined
  }
  return undefined
}

// "Now let me add the limit" says no more than "Add the limit".
const LEAD_IN =
  /^(?:(?:also|now|next|ok|okay|good|great|perfect|then)\b[,.!:]? {0,2}){0,3}(?:let me |let's )?/i

/** The sentence without the words that only lead up to what it says. */
function stripLeadIn(sentence: string): string {
  const rest = sentence.slice(LEAD_IN.exec(sentence)?.[0].length ?? 0)
  // "Now I know", "Now: …", "Next steps": the beginning was no mere lead-in, or little would be
  // left.
  if (rest === sentence || rest.length < SHORTEST_REST || !/^(?:[a-z]+ |I['’ ])/.test(rest))
    return sentence
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

// Words that are in any sentence about an edit.
const EMPTY = new Set(
  `a also add all an and another apply at be both change changes code create do each edit everything file files finally
  first fix for from go have here i implement import imports in independent into it its last let line lines make me modify my need
  needs new next now of on one other out parallel piece place put remaining remove replace rest same second set so some step
  that the their them then there these they this those to too two up update use using we will with write`.split(
    /\s+/,
  ),
)
const FEWEST_WORDS = 3
const FEWEST_ANNOUNCED = 4
const LOOK =
  /^(?:check|see|look|verify|examine|inspect)\b[^.]*[:.]?$|^(?:read|view|find|search|run)\b[^.]*:$/i

// A statement, such as "The cache needs a limit", is a reason however short it is.
const ORDER =
  /^(?:[a-z]+ly |also )?(?:add|apply|change|create|do|edit|fix|implement|make|modify|move|put|remove|replace|set|update|use|write|i|we|now|let)\b|[:…]$/i

/**
 * Whether a sentence only says that an edit is made, in words of its path (`known`) or of any edit:
 * "Fix auto_commit.go:", "Update the docs:".
 */
function saysNothing(sentence: string, known: ReadonlySet<string>): boolean {
  if (LOOK.test(sentence) || isChatter(sentence) || isStatus(sentence)) return true
  if (!ORDER.test(sentence)) return false
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  // Not every writing puts spaces between words.
  const telling = words.filter((word) => !EMPTY.has(word) && !known.has(word) && word !== '')
  const fewest = isAnnouncement(sentence) ? FEWEST_ANNOUNCED : FEWEST_WORDS
  return telling.length < fewest && telling.every((word) => /^[a-z\d]*$/.test(word))
}

/**
 * Words introduce the next action, so the end of long ones counts. Empty if they only say that it
 * is done.
 */
function shorten(text: string, paths: readonly string[]): string {
  const known = new Set(
    paths
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  )
  const sentences = splitSentences(text)
    .map(stripLeadIn)
    .filter((sentence) => !saysNothing(sentence, known))
  let purpose = ''
  for (let index = sentences.length - 1; index >= 0; index--) {
    const longer = flatten(`${sentences[index]!} ${purpose}`)
    if (purpose !== '' && longer.length > LONGEST_PURPOSE) break
    purpose = longer
  }
  return purpose
}
