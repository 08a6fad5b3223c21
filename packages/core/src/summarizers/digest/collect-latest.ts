/** The last steps of the span, so that a reader knows where the work stood. */
import { priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { describeOutcome, readAnswerLine } from './describe-outcome.ts'
import { createGroup, type Draft } from './draft.ts'
import { type CallEvent, isFailure } from './event.ts'

const MOST_STEPS = 6
const MOST_WORDS = 2
// What the agent said last may stand before more steps than are shown.
const FARTHEST_WORDS = 40
const LONGEST_STEP = 160
const LONGEST_WORDS = 400

export function collectLatest(draft: Draft): void {
  const group = createGroup('latest', 0)
  readLatest(draft).forEach(({ at, text, command, isWords }, age) => {
    if (command !== undefined) draft.lastSteps.add(command)
    if (draft.visible.tells(text)) return
    draft.candidates.push({
      kind: 'latest',
      group,
      order: at,
      text: `- ${text}`,
      entities: draft.vocabulary.read(text),
      value: 3,
      // What the agent said last tells more than any step.
      priority: priorities.latestStep + (isWords ? 0 : 0.1) + age / 100,
    })
  })
}

interface LatestStep {
  readonly at: number
  readonly text: string
  /** The whole command, when the text has all of it. */
  readonly command: string | undefined
  readonly isWords: boolean
}

/** Newest first. Words that close a turn stand with the request they answer. */
function readLatest(draft: Draft): LatestStep[] {
  const latest: LatestStep[] = []
  let steps = 0
  let words = 0
  const earliest = Math.max(0, draft.events.length - FARTHEST_WORDS)
  for (let index = draft.events.length - 1; index >= earliest && (steps < MOST_STEPS || words === 0); index--) {
    const event = draft.events[index]
    const text = event?.type === 'call' && steps < MOST_STEPS ? describeStep(draft, event) : ''
    if (event && text !== '' && text !== latest.at(-1)?.text) {
      const command = event.type === 'call' ? event.action.command : undefined
      const isShort = command !== undefined && command.length <= LONGEST_STEP
      latest.push({ at: event.at, text, command: isShort ? flatten(command) : undefined, isWords: false })
      steps++
    } else if (event?.type === 'request') break
    else if (event?.type === 'words' && steps > 0 && words < MOST_WORDS && !event.isCarried) {
      const said = flatten(event.text)
      // The request that followed may have been taken out: it stays verbatim.
      const isClosing = draft.events[index + 1]?.type !== 'call'
      if (!isClosing) latest.push({ at: event.at, text: clip(said, LONGEST_WORDS), command: undefined, isWords: true })
      words++
    }
  }
  return latest
}

function describeStep({ wording }: Draft, call: CallEvent): string {
  const { action, outcome, isRunning } = call
  if (action.kind === 'plan') return ''
  const object = action.command ?? [...action.paths, action.purpose ?? ''].join(' ').trim()
  if (object === '') return ''
  const name = action.command === undefined ? `${action.name}: ` : ''
  const step = clip(`${name}${flatten(object)}`, LONGEST_STEP)
  if (!outcome) return step
  if (isFailure(action, outcome)) return `${step} → ${wording.failed}`
  return isRunning || readAnswerLine(call) !== undefined ? `${step}${describeOutcome(wording, call)}` : step
}
