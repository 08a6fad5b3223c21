/**
 * The few globals that every JavaScript host has and the ES library does not declare. Nothing else
 * exists for core.
 */
declare class TextEncoder {
  encode(text: string): Uint8Array
  encodeInto(text: string, target: Uint8Array): { read: number; written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}
declare function atob(text: string): string
declare function btoa(bytes: string): string
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare const AbortSignal: {
  any(signals: AbortSignal[]): AbortSignal
  timeout(milliseconds: number): AbortSignal
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare const crypto: {
  readonly subtle: { digest(name: 'SHA-256', bytes: Uint8Array): Promise<ArrayBuffer> }
}
declare function setTimeout(callback: () => void, milliseconds: number): unknown
/** Browsers have none. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined
declare const console: { warn(text: string): void }
declare class ReadableStream<Chunk> {
  constructor(
    source: {
      pull(controller: { enqueue(chunk: Chunk): void; close(): void }): Promise<void>
      cancel(reason?: unknown): Promise<void>
    },
    strategy?: { highWaterMark: number },
  )
}
