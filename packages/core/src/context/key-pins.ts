import { isJsonObject } from '../formats/ground/json.ts'
import type { Context } from './context.ts'
import type { ConversationStore } from './store.ts'

/** What was pinned, and what was ended, in all conversations of a key. */
export interface KeyPins {
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

const NO_PINS: KeyPins = { pins: [], unpins: [] }

export async function readKeyPins(store: ConversationStore, key: string): Promise<KeyPins> {
  const name = nameEntry(key)
  const stored = await store.find([name])
  return stored ? decode(stored.value, name) : NO_PINS
}

/** Notes that a text is pinned, or that it is no more, also where others do so at the same time. */
export async function noteKeyPin(
  store: ConversationStore,
  key: string,
  text: string,
  isPinned: boolean,
): Promise<void> {
  const name = nameEntry(key)
  let stored = await store.find([name])
  // Who loses a race has to see what the winner wrote; each time one of them wins.
  for (;;) {
    const { pins, unpins } = stored ? decode(stored.value, name) : NO_PINS
    const without = (texts: readonly string[]) => texts.filter((one) => one !== text)
    const changed: KeyPins = isPinned
      ? { pins: [...without(pins), text], unpins: without(unpins) }
      : { pins: without(pins), unpins: [...without(unpins), text] }
    const value = JSON.stringify(changed)
    if (stored?.value === value) return
    stored = await store.write(name, value, stored?.version)
  }
}

/** Does in one context what was done in all of its key. */
export function applyKeyPins(context: Context, { pins, unpins }: KeyPins): void {
  const known = new Set(context.pins)
  for (const pin of pins) if (!known.has(pin)) context.pin(pin)
  for (const pin of unpins) context.unpin(pin)
}

// As JSON: no key of one owner is the beginning of a key of another.
const nameEntry = (key: string) => `${JSON.stringify(key)} pins`

function decode(value: string, name: string): KeyPins {
  const kept: unknown = JSON.parse(value)
  if (isJsonObject(kept) && isTexts(kept.pins) && isTexts(kept.unpins))
    return { pins: kept.pins, unpins: kept.unpins }
  throw new TypeError(
    `Reading the pins of a conversation from its store: what "${name}" has is something else. Delete it.`,
  )
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
