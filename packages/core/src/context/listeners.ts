import type { ContextEvents } from './context-events.ts'

type Listener<Name extends keyof ContextEvents> = (event: ContextEvents[Name]) => unknown

/** Who is told what. What one of them throws, now or later, reaches nobody else. */
export class Listeners {
  readonly #listeners = new Map<keyof ContextEvents, Set<(event: never) => unknown>>()

  add<Name extends keyof ContextEvents>(name: Name, listener: Listener<Name>): () => void {
    // The same function may listen twice, and each ends on its own.
    const own = (event: ContextEvents[Name]) => listener(event)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => {
      listeners.delete(own)
    }
  }

  tell<Name extends keyof ContextEvents>(name: Name, event: ContextEvents[Name]): void {
    const listeners: ReadonlySet<(event: never) => unknown> = this.#listeners.get(name) ?? new Set()
    for (const listener of [...listeners] as Listener<Name>[]) tellOne(listener, event)
  }
}

/** Calls it and lets nothing come back. */
export function tellOne<T>(listener: (event: T) => unknown, event: T): void {
  try {
    const answer = listener(event)
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // Display and logs of the host: a fault there must not change what becomes of a history.
    return
  }
}
