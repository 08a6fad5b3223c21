import type { NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, readLines, spliceLine } from '../json/lines.ts'
import { isJsonObject } from '../json/object.ts'
import { renameMeta, renameThread } from './rename.ts'
import { FORMAT_NAME, type Rollout } from './rollout.ts'

/** Every line again under another id, dead ones too. For a conversation that nobody edited. */
export function* cloneSession(source: JsonlSource, rollout: Rollout, newSession: NewSession): Generator<OutputPiece> {
  const { meta, lineBreak } = rollout
  for (const line of readLines(source, FORMAT_NAME)) {
    if (!isJsonObject(line.value)) continue
    const { payload } = line.value
    const isOwn = isJsonObject(payload) && payload.thread_id === meta.payload.id
    const span = { start: line.start, end: line.end }
    if (span.start === meta.line.start) yield* spliceLine(source, span, renameMeta(meta.payload, newSession))
    else yield* spliceLine(source, span, isOwn ? renameThread(newSession) : [])
    yield lineBreak
  }
}
