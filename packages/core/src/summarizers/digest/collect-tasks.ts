/** The agent's own task list, as it stood last. */
import type { TaskStatus } from '../../facts/tool-calls.ts'
import { priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { createGroup, type Draft } from './draft.ts'
import { focusWorth } from './worth.ts'

interface Task {
  readonly text: string
  readonly status: TaskStatus
  readonly at: number
}

const WORTH: Readonly<Record<TaskStatus, number>> = { active: 8, open: 7, done: 3, cancelled: 2 }

export function collectTasks(draft: Draft): void {
  const group = createGroup('tasks', 0)
  readTasks(draft).forEach(({ text, status, at }, order) => {
    const entities = draft.vocabulary.read(text)
    draft.vocabulary.note(entities, at, 'agent')
    const isOpen = status === 'open' || status === 'active'
    draft.candidates.push({
      kind: 'task',
      group,
      order,
      text: `- [${draft.wording[status]}] ${clip(flatten(text), 240)}`,
      entities,
      value: WORTH[status] + focusWorth(draft, text),
      ...(isOpen && { priority: priorities.openTask + order / 1_000 }),
    })
  })
}

function readTasks(draft: Draft): Task[] {
  let tasks = new Map<string, Task>()
  for (const event of draft.events) {
    if (event.type !== 'call' || event.action.kind !== 'plan' || event.outcome?.failed === true) continue
    const { action, outcome, at } = event
    const known = tasks
    if (action.replacesPlan) tasks = new Map()
    for (const update of action.tasks) {
      // "Task #3 created": the number comes with the answer.
      const id = update.id ?? (action.replacesPlan ? undefined : /#(\d{1,6})/.exec(outcome?.text ?? '')?.[1])
      const key = id ?? update.text
      if (key === undefined) continue
      const before = known.get(key)
      const text = update.text ?? before?.text
      if (text !== undefined) tasks.set(key, { text, status: update.status ?? before?.status ?? 'open', at })
    }
  }
  return [...tasks.values()]
}
