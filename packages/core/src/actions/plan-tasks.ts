/** The tasks that a call to a tool for plans sets. */
import { type Fields, listFields, textOf } from './call-fields.ts'
import { tools } from './tool-names.data.ts'

/** `id` is undefined if the agent does not number its tasks. */
export interface TaskUpdate {
  readonly id?: string
  readonly text?: string
  /** `unknown`: something changed it, and it is not clear to what. */
  readonly status?: TaskStatus | 'unknown'
  /** Which of the known tasks it changes: all of them, or the one with the id. */
  readonly which?: (task: Pick<TaskUpdate, 'id' | 'status'>) => boolean
  /** Whether it leaves a task alone that is known. */
  readonly isNew?: boolean
  readonly isDeleted?: boolean
  /** Instead of the other members: the updates that an answer shows. */
  readonly readAnswer?: (answer: string) => readonly TaskUpdate[]
}

export type TaskStatus = 'open' | 'active' | 'done' | 'cancelled'

export interface PlanChange {
  readonly tasks: readonly TaskUpdate[]
  /** Whether they are the whole plan. */
  readonly replacesPlan: boolean
}

const STATUSES = new Map<string, TaskStatus>()
for (const word of ['pending', 'open', 'todo', 'not_started', 'not-started', 'blocked'])
  STATUSES.set(word, 'open')
for (const word of ['in_progress', 'in-progress', 'active']) STATUSES.set(word, 'active')
for (const word of ['completed', 'complete', 'done', 'closed']) STATUSES.set(word, 'done')
for (const word of ['cancelled', 'canceled', 'deleted']) STATUSES.set(word, 'cancelled')

export const readStatus = (word: string): TaskStatus | undefined => STATUSES.get(word.toLowerCase())

export function readPlan(name: string, fields: Fields): PlanChange {
  const list =
    fields.get('todos') ??
    fields.get('plan') ??
    fields.get('items') ??
    fields.get('newTodos') ??
    fields.get('todoList')
  if (Array.isArray(list))
    return { tasks: listFields(list).map(readTask), replacesPlan: fields.get('merge') !== true }
  const task = readTask(fields)
  // A new task is open until it gets another status.
  const created =
    tools.createTask.has(name) && task.status === undefined
      ? { ...task, status: 'open' as const }
      : task
  return { tasks: [created], replacesPlan: false }
}

function readTask(fields: Fields): TaskUpdate {
  const id = fields.get('taskId') ?? fields.get('id')
  const text = textOf(fields, [
    'content',
    'step',
    'subject',
    'text',
    'title',
    'description',
    'task',
  ])
  const status = readStatus(textOf(fields, ['status']) ?? '')
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
    text,
    status,
  }
}
