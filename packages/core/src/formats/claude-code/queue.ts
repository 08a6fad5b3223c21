import { parseJson } from '../../conversation/json-text.ts'
import { addTo } from '../../conversation/lists.ts'
import type { Message } from '../../conversation/message.ts'
import { type JsonObject, readMember, readString } from '../shared/json.ts'
import type { NativeBlock } from '../shared/records.ts'
import { type ClaudeEntry, isOnMainChain } from './entries.ts'
import { isTyped } from './entry-origin.ts'

export const QUEUE_TYPE = 'queue-operation'

interface QueuedPrompt {
  /** The line that put it into the queue. */
  readonly record: number
  readonly text: string
  /** The line that took it out of the queue. */
  readonly takenAt: number
  /** The last entry of any branch that was said before that. */
  readonly before: number
}

type ReadEntry = (position: number) => JsonObject

/**
 * Prompts that reached the agent while it worked and are in no entry of the chain, by the step of
 * the branch that they come before (observed with 2.1.5 to 2.1.49). Later versions have an
 * attachment for each.
 *
 *   assistant a ─ enqueue "use a new branch" ─ result a ─ remove ─ assistant b
 *                                                                 ▲ sent before it
 */
export function readQueue(
  entries: readonly ClaudeEntry[],
  branch: readonly number[],
  read: ReadEntry,
): Map<number, Message[]> {
  const steps = new Map<number, Message[]>()
  const taken = listTaken(entries, read)
  if (taken.length === 0) return steps
  const onBranch = new Set(branch)
  // Answers of which a part comes before the line.
  const begun = new Set<string | undefined>()
  let step = 0
  for (const prompt of taken) {
    if (!onBranch.has(prompt.before)) continue
    for (; step < branch.length; step++) {
      const { type, messageId } = entries[branch[step]!]!
      if (branch[step]! < prompt.takenAt) begun.add(messageId)
      else if (type === 'assistant' && !begun.has(messageId ?? '')) break
    }
    addTo(steps, step, createMessage(prompt))
  }
  return steps
}

/** Those that left the queue for no entry, in order. */
function listTaken(entries: readonly ClaudeEntry[], read: ReadEntry): QueuedPrompt[] {
  const waiting = new Map<string, number[]>()
  const taken = new Map<string, QueuedPrompt[]>()
  let before = -1
  entries.forEach((entry, position) => {
    const { type } = entry
    if (isOnMainChain(entry) && (type === 'user' || type === 'assistant')) before = position
    if (type !== QUEUE_TYPE) return
    const { operation, content } = read(position)
    if (operation === 'enqueue' && typeof content === 'string') {
      if (isPrompt(content)) addTo(waiting, content, position)
    } else if (operation === 'popAll') waiting.clear()
    else if ((operation === 'dequeue' || operation === 'remove') && waiting.size + taken.size > 0) {
      const isRecorded = listRecorded(entries, position, read).some(
        (text) => (takeOut(waiting, text) ?? takeOut(taken, text)) !== undefined,
      )
      if (isRecorded || operation === 'dequeue') return
      // Older versions do not tell which. Tasks and notices are taken after prompts.
      const [first] = waiting.keys()
      const text = typeof content === 'string' ? content : first
      const record = text === undefined ? undefined : takeOut(waiting, text)
      if (text !== undefined && record !== undefined)
        addTo(taken, text, { record, text, takenAt: position, before })
    }
  })
  return [...taken.values()].flat().sort((a, b) => a.takenAt - b.takenAt)
}

/** A task is in the queue as JSON. A command of the client waits until the agent has finished. */
const isPrompt = (text: string): boolean =>
  isTyped(text) &&
  !/^\s*\/[\w:-]{1,80}(?:\s|$)/.test(text) &&
  readMember(parseJson(text), 'task_id') === undefined

/** The first of those with a text. */
function takeOut<Item>(items: Map<string, Item[]>, text: string): Item | undefined {
  const found = items.get(text)
  const first = found?.shift()
  if (found?.length === 0) items.delete(text)
  return first
}

// The entry of a prompt is written about when the prompt leaves the queue.
const NEAR_LINES = 20

/** The texts of the entries near a line that may hold what it took out of the queue. */
function listRecorded(
  entries: readonly ClaudeEntry[],
  position: number,
  read: ReadEntry,
): string[] {
  const texts: string[] = []
  const end = Math.min(position + NEAR_LINES, entries.length)
  for (let near = Math.max(position - NEAR_LINES, 0); near < end; near++) {
    const { type } = entries[near]!
    if (type !== 'attachment' && (type !== 'user' || near < position)) continue
    const { message, attachment } = read(near)
    const said = type === 'user' ? readMember(message, 'content') : readMember(attachment, 'prompt')
    for (const one of Array.isArray(said) ? said : [said]) {
      const text = typeof one === 'string' ? one : readString(one, 'text')
      if (text !== undefined) texts.push(text)
    }
  }
  return texts
}

function createMessage({ record, text }: QueuedPrompt): Message {
  const native: NativeBlock = { record, block: text }
  return {
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text, native }],
    records: [record],
  }
}
