import type { ChatEvent } from '../chat-agent.ts'
import type { Journal } from '../history/journal.ts'

// How much of an answer may be lost with the process.
const MOST_CHARACTERS = 500
const LONGEST_MS = 1000

/** Writes an answer to the history while it comes, besides telling it. */
export function recordPartialText(
  journal: Journal,
  emit: (event: ChatEvent) => void,
): { readonly emit: (event: ChatEvent) => void; readonly discard: () => void } {
  let text = ''
  let isRecorded = false
  let recordedAt = performance.now()
  return {
    emit: (event) => {
      emit(event)
      if (event.type !== 'text') return
      text += event.delta
      if (text.length < MOST_CHARACTERS && performance.now() - recordedAt < LONGEST_MS) return
      journal.record({ type: 'partial-text', text })
      text = ''
      isRecorded = true
      recordedAt = performance.now()
    },
    discard: () => {
      if (isRecorded) journal.record({ type: 'void' })
    },
  }
}
