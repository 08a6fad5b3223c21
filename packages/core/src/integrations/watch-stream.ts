import { findOverflow } from '../context/find-overflow.ts'

/** What is looked for in the events of a stream while they pass. */
export interface StreamWatch {
  onEvent(event: unknown): void
  /** Whether the model has not said anything yet. */
  isPrelude(event: unknown): boolean
  /** What an event that ends the answer says went wrong. */
  findFailure(event: unknown): unknown
  /** Whether whoever reads the stream has aborted it. */
  isAborted?(): boolean
  /** Sends the request again, shorter; undefined when it cannot be made shorter. */
  retry(overflow: unknown): Promise<AsyncIterable<unknown> | undefined>
}

/**
 * The same events as they come. What comes before the model's first word is held back until then: behind status 200 a
 * provider may still say that the request is too long, and the host gets the events of the second attempt instead.
 */
export async function* watchEvents(events: AsyncIterable<unknown>, watch: StreamWatch): AsyncGenerator<unknown> {
  const held: unknown[] = []
  let isHolding = true
  let overflow: unknown
  try {
    for await (const event of events) {
      watch.onEvent(event)
      if (!isHolding) {
        yield event
        continue
      }
      held.push(event)
      const failure = watch.findFailure(event)
      if (failure !== undefined && findOverflow(failure)) overflow = failure
      // Read to the end all the same: a stream that is left early takes itself for aborted.
      if (overflow !== undefined || watch.isPrelude(event)) continue
      isHolding = false
      for (const first of held.splice(0)) {
        // Who aborts at one of them is not given the others, as without precis.
        if (watch.isAborted?.()) return
        yield first
      }
    }
  } catch (error) {
    const again = isHolding && findOverflow(error) ? await watch.retry(error) : undefined
    if (again) {
      yield* again
      return
    }
    yield* held
    throw error
  }
  yield* (overflow === undefined ? undefined : await watch.retry(overflow)) ?? held
}

/** Puts `watch` between a stream of the official clients and all who read it; it stays the same object. */
export function interposeStream(
  stream: object,
  watch: (events: AsyncIterable<unknown>) => AsyncIterable<unknown>,
): void {
  // Iteration, `tee` and `toReadableStream` of these streams all begin with `iterator`.
  const key = typeof Reflect.get(stream, 'iterator') === 'function' ? 'iterator' : Symbol.asyncIterator
  const iterate: unknown = Reflect.get(stream, key)
  if (typeof iterate !== 'function') return
  const events = { [Symbol.asyncIterator]: () => iterate.call(stream) }
  Object.defineProperty(stream, key, {
    value: () => watch(events)[Symbol.asyncIterator](),
    configurable: true,
    writable: true,
  })
}

export function isStream(value: unknown): value is AsyncIterable<unknown> & object {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
