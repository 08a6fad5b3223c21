/** A list that one side writes while the other reads it. It holds what was not read yet. */
export interface Channel<T> extends AsyncIterable<T> {
  push(item: T): void
  end(): void
}

export function createChannel<T>(): Channel<T> {
  let waiting: T[] = []
  let isEnded = false
  let wake: (() => void) | undefined
  const change = () => {
    wake?.()
    wake = undefined
  }
  return {
    push: (item) => {
      waiting.push(item)
      change()
    },
    end: () => {
      isEnded = true
      change()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const items = waiting
        waiting = []
        yield* items
        if (waiting.length > 0) continue
        if (isEnded) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
