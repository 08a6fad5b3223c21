/** A process of the MCP server. It answers calls one after the other, until the server is gone. */

import type { DatabaseFlags } from '../archive/with-archive.ts'
import { distrustEnvironment, muteNotices } from '../configuration/read-configured.ts'
import { removeUnfinished } from '../files/write-file.ts'
import { answerCall } from './answer-call.ts'
import { toolCall } from './tools/tool.ts'

// The exit code that a shell gives to a process that SIGINT ended.
const INTERRUPTED = 130

const [, , database] = process.argv
runToolWorker({ database })

export function runToolWorker(flags: DatabaseFlags): void {
  muteNotices()
  distrustEnvironment()
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.on(event, () => {
      removeUnfinished()
      process.exit(INTERRUPTED)
    })
  }
  process.on('message', (message) => {
    const { data } = toolCall.safeParse(message)
    if (data)
      void answerCall(data.tool, async () => data.input, flags).then((answer) =>
        process.send?.(answer),
      )
  })
}
