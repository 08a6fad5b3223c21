/** Failures that nothing later in the span shows as overcome. */
import { reportsError } from '../../facts/errors.ts'
import { redactSecrets } from '../../facts/secrets.ts'
import { priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { createGroup, type Draft } from './draft.ts'
import { type CallEvent, isFailure, type Placed } from './event.ts'

const LINES_PER_FAILURE = 3
const MOST_FAILURES = 5

export function collectErrors(draft: Draft): void {
  const open = new Map<string, Placed<CallEvent>>()
  for (const event of draft.events) {
    if (event.type !== 'call' || !event.outcome) continue
    const key = keyOf(event)
    // The newest failure of a kind stands for it.
    open.delete(key)
    if (isFailure(event.action, event.outcome) && event.action.kind !== 'read') open.set(key, event)
  }
  for (const event of [...open.values()].slice(-MOST_FAILURES)) pushFailure(draft, event)
}

/** What has to succeed to make up for a failure: the same program with the same first argument, or the same tool on a file. */
function keyOf({ action }: Placed<CallEvent>): string {
  if (action.command === undefined) return `${action.kind} ${action.paths[0] ?? action.name}`
  const steps = flatten(action.command).split(/ && | ; |\|\|/)
  const words = (steps.find((step) => !step.startsWith('cd ')) ?? '').split(' ').filter((word) => !word.includes('='))
  return words.slice(0, 2).join(' ')
}

function pushFailure(draft: Draft, event: Placed<CallEvent>): void {
  const { action, outcome, at } = event
  if (!outcome) return
  const name = action.command === undefined ? `${action.name} ${action.paths.join(' ')}` : action.command
  const lines = outcome.text.split('\n').map((line) => line.trim())
  const reports = lines.filter(reportsError).slice(-LINES_PER_FAILURE)
  if (reports.length === 0) reports.push(lines.findLast((line) => line !== '') ?? '')
  const group = createGroup('errors', at, `- ${clip(flatten(name), 200)}`)
  reports.forEach((report, order) => {
    if (report === '' || draft.visible.has(report)) return
    const entities = draft.vocabulary.read(report)
    draft.candidates.push({
      kind: 'error',
      group,
      order,
      text: `\t${clip(redactSecrets(report), 300)}`,
      entities,
      value: 4,
      priority: priorities.openError + (draft.events.length - at) / draft.events.length,
    })
  })
}
