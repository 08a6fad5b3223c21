import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'
import { FORMAT_NAME, isMessageLine, isTurnEnd, readTranscript } from './read.ts'

/**
 * Transcripts of Cursor: `~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`. Cursor
 * never reads them again, so precis writes none.
 */
export const cursor = createSessionFormat({
  name: FORMAT_NAME,
  detect(input) {
    const first = readFirstLine(input)
    return isMessageLine(first) || isTurnEnd(first) ? 1 : 0
  },
  read: (source) => ({
    conversation: { protocol: 'anthropic-messages', messages: readTranscript(source) },
    rest: {},
  }),
})
