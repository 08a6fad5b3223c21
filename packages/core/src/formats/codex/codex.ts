import { readMessages } from '../openai-responses/read-items.ts'
import type { CompactionState } from '../shared/format.ts'
import { readMember } from '../shared/json.ts'
import { toUrl } from '../shared/media.ts'
import { readBeginning } from '../shared/preview.ts'
import { createSessionFormat } from '../shared/session-format.ts'
import { toInputJson } from '../shared/tool-calls.ts'
import { readRollout } from './read.ts'
import { type CodexDocument, FORMAT_NAME, isCompactionLine, renameThread } from './rollout.ts'
import { cloneSession, writeSession } from './write.ts'

const BEGINNING_UNITS = 1 << 14

/** Sessions of the Codex command line: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codex = createSessionFormat<CodexDocument>({
  name: FORMAT_NAME,
  import: {
    findProtocol: () => 'openai-responses',
    marksHost: false,
    marksFailures: false,
    // Codex 0.169 cuts the middle out of longer results. For some models the limit is higher.
    longestResult: 12_000,
    encodeInput: toInputJson,
    encodeMedia(part, source) {
      const { isReference, mediaType = part.mediaType, filename = 'file' } = source
      const url = toUrl(source, mediaType)
      if (part.type === 'image') return { type: 'input_image', image_url: url }
      return isReference || mediaType !== 'application/pdf'
        ? undefined
        : { type: 'input_file', filename, file_data: url }
    },
    // The API accepts only reasoning that it encrypted itself.
    encodeReasoning: () => undefined,
    createDocument({ workingDirectory }, { sessionId, timestamp }) {
      // Names no model and no provider, because Codex continues with those of its configuration.
      const payload = {
        id: sessionId,
        timestamp,
        cwd: workingDirectory,
        originator: 'precis',
        cli_version: '0.125.0',
        source: 'cli',
      }
      return `${JSON.stringify({ timestamp, type: 'session_meta', payload })}\n`
    },
  },
  isCompaction: isCompactionLine,
  readCompactions: ({ source }) => {
    const states: CompactionState[] = []
    readRollout(source, (before, after) =>
      states.push({ before: readMessages(before), after: readMessages(after) }),
    )
    return states
  },
  detect(input) {
    const beginning = readBeginning(input, BEGINNING_UNITS)
    if (beginning === undefined) return 0
    if (/^\s*\{[^\n]{0,300}"type"\s*:\s*"session_meta"/.test(beginning)) return 1
    return /"type"\s*:\s*"(?:response_item|turn_context|event_msg)"/.test(beginning) &&
      beginning.includes('"payload"')
      ? 0.6
      : 0
  },
  read(source) {
    const rollout = readRollout(source)
    const { items, model, workingDirectory } = rollout
    const messages = readMessages(items)
    return {
      conversation: { protocol: 'openai-responses', messages, model, workingDirectory },
      rest: { rollout },
    }
  },
  write: writeSession,
  clone: cloneSession,
  append: {
    createAdapter({ base: { rollout }, grown, newSession }) {
      const threadId = grown.rollout.meta.payload.id
      let { lineCount } = rollout
      return (value) => {
        if (value.type === 'session_meta') return undefined
        const isOwn = threadId !== undefined && readMember(value.payload, 'thread_id') === threadId
        const thread = isOwn ? renameThread(newSession) : []
        if (rollout.isNumbered)
          return [{ path: ['ordinal'], json: String(lineCount++), append: true }, ...thread]
        return value.ordinal === undefined
          ? thread
          : [{ path: ['ordinal'], json: undefined }, ...thread]
      }
    },
  },
})
