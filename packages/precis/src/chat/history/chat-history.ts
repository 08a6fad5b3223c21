/** What the lines of a history file add up to; also kept up to date while the chat goes on. */
import type { ModelMessage } from 'ai'
import type { SettingTexts } from '../chat-agent.ts'
import type { HistoryChange, HistoryEntry, HistoryPart } from './history-entry.ts'

/** Every message that ever was in a chat, and which of them it has now. */
export interface ChatHistory {
  /** By number, in the order in which they came. */
  readonly all: readonly ModelMessage[]
  /** Numbers, oldest first. */
  readonly current: readonly number[]
  /** What can be taken back, newest last. */
  readonly undoable: readonly Undoable[]
  readonly pins: readonly string[]
  /** Settings that the user changed with `/strategy` and the like. */
  readonly settings: SettingTexts
  /** Messages that a compression wrote. */
  readonly written: ReadonlySet<number>
  /** Since the newest message. */
  readonly partialText: string
  readonly partialResults: ReadonlyMap<string, { readonly output: string; readonly isError: boolean }>
  apply(entry: HistoryEntry): void
  /** A list of messages as the parts of a `history` entry: by number where they are known, as they are otherwise. */
  describe(messages: readonly ModelMessage[]): HistoryPart[]
  /** The history with its newest compression taken back; what came since stays. */
  takeBack(): ModelMessage[] | undefined
}

interface Undoable {
  readonly before: readonly number[]
  /** How many messages it left; behind them stands what came since. */
  readonly left: number
}

export function createChatHistory(): ChatHistory {
  const all: ModelMessage[] = []
  const numbers = new Map<ModelMessage, number>()
  let current: number[] = []
  const undoable: Undoable[] = []
  const pins: string[] = []
  let settings: SettingTexts = {}
  const written = new Set<number>()
  let partialText = ''
  const partialResults = new Map<string, { output: string; isError: boolean }>()
  const add = (message: ModelMessage): number => {
    numbers.set(message, all.length)
    return all.push(message) - 1
  }
  const change = ({ reason, parts }: HistoryChange) => {
    const next = parts.flatMap((part) => {
      if ('message' in part) {
        const number = add(part.message)
        written.add(number)
        return [number]
      }
      const [from, to] = part
      return from >= 0 && to <= all.length ? range(from, to) : []
    })
    if (reason === 'undo') undoable.pop()
    else undoable.push({ before: current, left: next.length })
    current = next
  }
  const forgetPartial = () => {
    partialText = ''
    partialResults.clear()
  }
  return {
    all,
    undoable,
    pins,
    written,
    partialResults,
    get settings() {
      return settings
    },
    get current() {
      return current
    },
    get partialText() {
      return partialText
    },
    apply: (entry) => {
      switch (entry.type) {
        case 'message':
          current.push(add(entry.message))
          return forgetPartial()
        case 'history':
          return change(entry)
        case 'pin':
          pins.push(entry.text)
          return
        case 'setting': {
          const { [entry.name]: _before, ...others } = settings
          settings = entry.text === undefined ? others : { ...others, [entry.name]: entry.text }
          return
        }
        case 'partial-text':
          partialText += entry.text
          return
        case 'partial-result':
          partialResults.set(entry.callId, entry)
          return
        case 'void':
          return forgetPartial()
        case 'chat':
        case 'model':
          return
      }
    },
    describe: (messages) => describeParts(messages, numbers),
    takeBack: () => {
      const newest = undoable.at(-1)
      if (!newest) return undefined
      const since = current.slice(newest.left)
      return [...newest.before, ...since].flatMap((number) => all[number] ?? [])
    },
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Neighbours become one range. */
function describeParts(messages: readonly ModelMessage[], numbers: ReadonlyMap<ModelMessage, number>): HistoryPart[] {
  const parts: HistoryPart[] = []
  for (const message of messages) {
    const number = numbers.get(message)
    const last = parts.at(-1)
    if (number === undefined) parts.push({ message })
    else if (last && !('message' in last) && last[1] === number) parts.splice(-1, 1, [last[0], number + 1])
    else parts.push([number, number + 1])
  }
  return parts
}
