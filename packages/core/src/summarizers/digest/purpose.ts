/** What the agent said an edit was for: its last words before it. */
import { splitSentences } from '../../facts/sentences.ts'
import type { Action } from '../../facts/tool-calls.ts'
import { flatten } from './clip.ts'
import type { Event } from './event.ts'

// Longer words are more than the purpose of one edit.
const LONGEST_WORDS = 500
const LONGEST_PURPOSE = 280
// Reads and searches may stand between words and the edit they announce.
const FARTHEST = 6

/** Whether words stand right before an edit and are about it: they are shown beside the file instead. */
export function isPurpose(events: readonly Event[], index: number): boolean {
  const words = events[index]
  const next = events[index + 1]
  return (
    words?.type === 'words' &&
    words.text.length <= LONGEST_WORDS &&
    next?.type === 'call' &&
    next.action.kind === 'write' &&
    next.action.paths.length > 0
  )
}

/** Undefined when the agent said nothing since the last request, or nothing about this. */
export function findPurpose(events: readonly Event[], edit: number): string | undefined {
  for (let index = edit - 1; index >= 0 && index >= edit - FARTHEST; index--) {
    const event = events[index]
    if (event?.type === 'request') return undefined
    if (event?.type === 'words') return shorten(event.text)
    if (event?.type !== 'call') continue
    // Words before a change of the plan are about the plan, and those before a command about the command.
    if (event.action.kind === 'plan') return readActiveTask(event.action)
    if (event.action.kind === 'command') return undefined
  }
  return undefined
}

function readActiveTask({ tasks }: Action): string | undefined {
  return tasks.find(({ status, text }) => status === 'active' && text !== undefined)?.text
}

/** Words lead up to what is done next: of long ones the end counts. */
function shorten(text: string): string {
  const sentences = splitSentences(text)
  let purpose = ''
  for (let index = sentences.length - 1; index >= 0; index--) {
    const longer = flatten(`${sentences[index]!} ${purpose}`)
    if (purpose !== '' && longer.length > LONGEST_PURPOSE) break
    purpose = longer
  }
  return purpose
}
