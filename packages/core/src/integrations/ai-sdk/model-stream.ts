import { readMember } from '../../formats/json/object.ts'
import { watchEvents } from '../watch-stream.ts'

export interface ModelStreamWatch {
  /** Told the part that ends the answer, with its usage. */
  onFinish(part: unknown): void
  /** The stream of a second, shorter attempt. */
  retry(overflow: unknown): Promise<object>
}

const PRELUDE = new Set<unknown>(['stream-start', 'response-metadata', 'raw'])

/** A stream of the same parts, read no faster than it is read itself. */
export function watchModelStream<Stream extends object>(stream: Stream, watch: ModelStreamWatch): Stream {
  if (!isReadable(stream)) return stream
  let reader = stream.getReader()
  const parts = watchEvents(readParts(reader), {
    onEvent: (part) => {
      if (readMember(part, 'type') === 'finish') watch.onFinish(part)
    },
    isPrelude: (part) => PRELUDE.has(readMember(part, 'type')),
    findFailure: (part) => (readMember(part, 'type') === 'error' ? readMember(part, 'error') : undefined),
    retry: async (overflow) => {
      try {
        const again = await watch.retry(overflow)
        if (!isReadable(again)) throw overflow
        reader = again.getReader()
        return readParts(reader, (part) => watch.onFinish(part))
      } catch (error) {
        return sayError(error)
      }
    },
  })
  const watched = new ReadableStream<unknown>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // To the stream itself: whoever waits for a part of it is not to be waited for.
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return watched as object as Stream
}

async function* readParts(reader: Reader, onFinish?: (part: unknown) => void): AsyncGenerator<unknown> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    if (readMember(value, 'type') === 'finish') onFinish?.(value)
    yield value
  }
}

/** How a model says it in its stream. */
async function* sayError(error: unknown): AsyncGenerator<unknown> {
  yield { type: 'error', error }
}

interface Reader {
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

function isReadable(value: object): value is { getReader(): Reader } {
  return 'getReader' in value && typeof value.getReader === 'function'
}
