import { describe, expect, test } from 'vitest'
import { interposeStream, watchEvents } from './followed-calls.ts'

interface Event {
  readonly type: 'prelude' | 'word' | 'failed'
  readonly code?: string
}

const tooLong: Event = { type: 'failed', code: 'context_length_exceeded' }
const prelude: Event = { type: 'prelude' }
const word: Event = { type: 'word' }

async function* emit(events: readonly (Event | Error)[]): AsyncGenerator<unknown> {
  for (const event of events) {
    if (event instanceof Error) throw event
    yield event
  }
}

function watch(events: readonly (Event | Error)[], second?: readonly Event[]) {
  const retried: unknown[] = []
  const watched = watchEvents(emit(events), {
    onEvent: () => {},
    isPrelude: (event) => event === prelude,
    findFailure: (event) => (event === tooLong ? event : undefined),
    retry: async (overflow) => {
      retried.push(overflow)
      return second && emit(second)
    },
  })
  const read = async () => {
    const seen: unknown[] = []
    try {
      for await (const event of watched) seen.push(event)
    } catch (error) {
      seen.push(error)
    }
    return seen
  }
  return { read, retried }
}

describe('watchEvents', () => {
  test('gives every event of an answer', async () => {
    expect(await watch([prelude, prelude, word, word]).read()).toEqual([
      prelude,
      prelude,
      word,
      word,
    ])
    expect(await watch([prelude]).read()).toEqual([prelude])
  })

  test('gives the second answer when the first one turns out to be that the request was too long', async () => {
    const { read, retried } = watch([prelude, tooLong], [prelude, word])
    expect(await read()).toEqual([prelude, word])
    expect(retried).toEqual([tooLong])
    const error = Object.assign(new Error('prompt is too long: 9 tokens > 8 maximum'), {
      status: 400,
    })
    expect(await watch([prelude, error], [word]).read()).toEqual([word])
  })

  test('gives the first answer as it came when there is no second', async () => {
    expect(await watch([prelude, tooLong]).read()).toEqual([prelude, tooLong])
    const error = new Error('prompt is too long: 9 tokens > 8 maximum')
    expect(await watch([prelude, error]).read()).toEqual([prelude, error])
  })

  test('asks no second time for what failed after the first word, or for another reason', async () => {
    const late = watch([word, tooLong], [word])
    expect(await late.read()).toEqual([word, tooLong])
    const error = new Error('the connection was lost')
    const lost = watch([prelude, error], [word])
    expect(await lost.read()).toEqual([prelude, error])
    expect([...late.retried, ...lost.retried]).toEqual([])
  })
})

test('a stream that is left early ends', async () => {
  let hasEnded = false
  const stream = {
    async *iterator() {
      try {
        yield word
        yield word
      } finally {
        hasEnded = true
      }
    },
    [Symbol.asyncIterator]() {
      return this.iterator()
    },
  }
  interposeStream(stream, (events) => events)
  for await (const _ of stream) break
  expect(hasEnded).toBe(true)
})

test('who aborts at the first event is not given those that were held back with it', async () => {
  let isAborted = false
  const watched = watchEvents(emit([prelude, prelude, word]), {
    onEvent: () => {},
    isPrelude: (event) => event === prelude,
    findFailure: () => undefined,
    isAborted: () => isAborted,
    retry: async () => undefined,
  })
  const seen: unknown[] = []
  for await (const event of watched) {
    seen.push(event)
    isAborted = true
  }
  expect(seen).toEqual([prelude])
})
