import type { ModelMessage } from 'ai'
import type { ChatFile } from './chat-file.ts'
import type { ChatHistory } from './chat-history.ts'
import type { ChatHeader, HistoryEntry } from './history-entry.ts'

/** The history in memory and the one in the file, which never differ. */
export interface Journal {
  readonly history: ChatHistory
  /** Undefined once the file could not be written: from then on there is none. */
  readonly path: string | undefined
  record(...entries: readonly HistoryEntry[]): void
  /** Records what the history is now, when that is not what is recorded. */
  recordChange(reason: 'compression' | 'undo', messages: readonly ModelMessage[]): void
  flush(): Promise<void>
  close(): Promise<void>
}

export interface JournalOptions {
  readonly history: ChatHistory
  readonly file: ChatFile | undefined
  /** Written before the first entry; undefined when it is in the file. */
  readonly header: ChatHeader | undefined
  /** A disk that is full does not end a chat. Called once. */
  readonly onFailure: (error: Error) => void
}

export function createJournal({ history, file, header, onFailure }: JournalOptions): Journal {
  let isBroken = file === undefined
  let pending: readonly HistoryEntry[] = header ? [header] : []
  const fail = (error: unknown) => {
    if (!(error instanceof Error)) throw error
    if (!isBroken) onFailure(error)
    isBroken = true
  }
  const record = (...entries: readonly HistoryEntry[]) => {
    for (const entry of entries) history.apply(entry)
    if (isBroken || !file) return
    try {
      file.append(...pending, ...entries)
      pending = []
    } catch (error) {
      fail(error)
    }
  }
  return {
    history,
    get path() {
      return isBroken ? undefined : file?.path
    },
    record,
    recordChange: (reason, messages) => {
      const parts = history.describe(messages)
      const isSame = parts.every((part) => !('message' in part)) && sameNumbers(parts, history.current)
      if (!isSame || reason === 'undo') record({ type: 'history', reason, parts })
    },
    flush: async () => {
      if (!isBroken) await file?.flush().catch(fail)
    },
    close: async () => {
      await file?.close().catch(fail)
    },
  }
}

function sameNumbers(parts: readonly unknown[], numbers: readonly number[]): boolean {
  let at = 0
  for (const part of parts) {
    if (!Array.isArray(part)) return false
    const [from, to]: number[] = part
    if (from === undefined || to === undefined) return false
    for (let number = from; number < to; number++) if (numbers[at++] !== number) return false
  }
  return at === numbers.length
}
