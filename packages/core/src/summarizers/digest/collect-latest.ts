/** The last steps of the span, so that a reader knows where the work stood. */
import { priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { createGroup, type Draft } from './draft.ts'
import { type CallEvent, isFailure } from './event.ts'

const MOST_STEPS = 6
const LONGEST_STEP = 160

export function collectLatest(draft: Draft): void {
  const group = createGroup('latest', 0)
  const steps: { at: number; text: string }[] = []
  for (let index = draft.events.length - 1; index >= 0 && steps.length < MOST_STEPS; index--) {
    const event = draft.events[index]
    if (event?.type !== 'call' || event.action.kind === 'plan') continue
    const text = describeStep(draft, event)
    if (text !== '' && text !== steps.at(-1)?.text) steps.push({ at: event.at, text })
  }
  steps.forEach(({ at, text }, age) => {
    draft.candidates.push({
      kind: 'latest',
      group,
      order: at,
      text: `- ${text}`,
      entities: draft.vocabulary.read(text),
      value: 3,
      priority: priorities.latestStep + age / 100,
    })
  })
}

function describeStep({ wording }: Draft, { action, outcome }: CallEvent): string {
  const object = action.command ?? [...action.paths, action.purpose ?? ''].join(' ').trim()
  if (object === '') return ''
  const name = action.command === undefined ? `${action.name}: ` : ''
  const step = clip(`${name}${flatten(object)}`, LONGEST_STEP)
  if (!outcome) return step
  return isFailure(action, outcome) ? `${step} → ${wording.failed}` : step
}
