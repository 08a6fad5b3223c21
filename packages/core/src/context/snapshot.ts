import { isJsonObject, isTexts, type JsonObject } from '../formats/shared/json.ts'
import type { ContextOptions, ContextSnapshot } from './context.ts'
import type { LiveState } from './live-state.ts'
import { isPlainJson } from './same-content.ts'
import type { SavedState } from './saved-state.ts'
import { findRequestFormat } from './settings.ts'

const TYPE = 'precis-context-1'

/** Throws `TypeError` if a message contains values that JSON cannot represent. */
export function createSnapshot(live: LiveState): ContextSnapshot {
  const state = live.save()
  if (!isPlainJson(state)) {
    throw new TypeError(
      'Making a snapshot of a context: a message holds what JSON cannot say. Give plain JSON.',
    )
  }
  return { type: TYPE, format: findFormat(live.options), state }
}

/** Throws `TypeError` for anything but what `createSnapshot` gave for these options. */
export function readSnapshot(snapshot: unknown, options: ContextOptions): SavedState {
  if (
    !isJsonObject(snapshot) ||
    snapshot.type !== TYPE ||
    !isJsonObject(snapshot.state) ||
    !isState(snapshot.state)
  ) {
    throw new TypeError('Restoring a context: found something else. Give what its snapshot() gave.')
  }
  const format = findFormat(options)
  if (snapshot.format !== format) {
    throw new TypeError(
      `Restoring a context: its messages are ${String(snapshot.format)}, and these options are for ${format}. Give the options that it was created with.`,
    )
  }
  return snapshot.state
}

const findFormat = ({ format, model }: ContextOptions) => format ?? findRequestFormat(model)

/** Checks its shape. The content of messages is checked when they are read. */
function isState(state: JsonObject): state is JsonObject & SavedState {
  const { model, windowTokens, history, pins, unpins, limits, measure, cooldown, spending } = state
  return (
    typeof model === 'string' &&
    Number.isFinite(windowTokens) &&
    isTexts(pins) &&
    isTexts(unpins) &&
    [limits, measure, cooldown, spending].every(isJsonObject) &&
    isJsonObject(history) &&
    isTexts(history.closed) &&
    (history.removed === undefined ||
      (Array.isArray(history.removed) && history.removed.every(isTexts))) &&
    isJsonObject(history.transcript) &&
    isTranscript(history.transcript)
  )
}

function isTranscript({ entries, present, others }: JsonObject): boolean {
  if (!Array.isArray(entries) || !Array.isArray(others)) return false
  const { length } = entries
  const isPositions = (list: unknown) =>
    Array.isArray(list) &&
    list.every((at: unknown) => Number.isInteger(at) && Number(at) >= 0 && Number(at) < length)
  const isEntry = (entry: unknown) =>
    isJsonObject(entry) &&
    Array.isArray(entry.natives) &&
    Array.isArray(entry.origins) &&
    entry.origins.every(isJsonObject) &&
    (entry.written === undefined || Array.isArray(entry.written))
  return entries.every(isEntry) && [present, ...others].every(isPositions)
}
