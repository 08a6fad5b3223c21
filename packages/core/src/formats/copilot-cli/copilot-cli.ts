import { deriveUuid } from '../shared/ids.ts'
import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { type CopilotCliDocument, FORMAT_NAME, isStart, readEvents, readSummary } from './events.ts'
import { readMessages } from './read.ts'
import { cloneSession, writeSession } from './write.ts'

/** Sessions of GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`. */
export const copilotCli = createSessionFormat<CopilotCliDocument>({
  name: FORMAT_NAME,
  import: {
    // It sends to any API, and stores the same for all.
    findProtocol: () => 'openai-chat',
    marksHost: true,
    marksFailures: true,
    encodeInput: toInputObject,
    // Pictures are separate records, which a conversion does not write.
    encodeMedia: () => undefined,
    // Reasoning is bound to the session that it was made in.
    encodeReasoning: () => undefined,
    createDocument({ workingDirectory: cwd }, { sessionId, timestamp }) {
      const data = {
        sessionId,
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: '1.0.102',
        startTime: timestamp,
        context: { cwd },
      }
      const id = deriveUuid(sessionId)
      return `${JSON.stringify({ type: 'session.start', data, id, timestamp, parentId: null })}\n`
    },
  },
  isCompaction: (line) => readSummary(line) !== undefined,
  detect: (input) => (isStart(readFirstLine(input)) ? 1 : 0),

  read(source) {
    const { events, lineBreak } = readEvents(source)
    const { assets, ...conversation } = readMessages(source, events)
    return {
      conversation: { protocol: 'openai-chat', ...conversation },
      rest: { events, lineBreak, assets },
    }
  },
  write: writeSession,
  clone: cloneSession,
  readWhole: ({ source, events }) => readMessages(source, events, true).messages,
})
