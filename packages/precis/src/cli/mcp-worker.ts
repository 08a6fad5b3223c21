/** A process of the MCP server: it answers calls, one after the other, until the server is gone. */
import { removeUnfinished } from '../files/write-file.ts'
import { toolCall } from '../mcp/tools/tool.ts'
import { exitCodes } from './failure.ts'
import { reply } from './mcp-calls.ts'
import { type DatabaseFlags, distrustEnvironment, muteNotices } from './read-configured.ts'

const [, , database] = process.argv
runWorker({ database })

export function runWorker(flags: DatabaseFlags): void {
  muteNotices()
  distrustEnvironment()
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.on(event, () => {
      removeUnfinished()
      process.exit(exitCodes.interrupted)
    })
  }
  process.on('message', (message) => {
    const { data } = toolCall.safeParse(message)
    if (data)
      void reply(data.tool, async () => data.input, flags).then((answer) => process.send?.(answer))
  })
}
