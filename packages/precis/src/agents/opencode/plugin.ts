/** The module that the plugin file of OpenCode loads. It runs in the process of the agent, so all work is done by the command. */
import type { StartCommand } from '../ground/agent.ts'
import { runPrecis } from '../ground/run-precis.ts'

/** Of OpenCode's hooks, the one that is used here (opencode.ai/docs/plugins, compaction hooks). */
export interface OpencodeHooks {
  'experimental.session.compacting'(
    input: { readonly sessionID: string },
    output: { readonly context: string[] },
  ): Promise<void>
}

const KEEP_MS = 30_000
const CONTEXT =
  'Everything before this compaction is kept word for word, and the tool precis_recall searches it by words. Say so in one sentence at the end of the summary.'

/** Archives the session as it is first; a failure changes nothing for the agent. */
export function createOpencodePlugin(command: StartCommand): OpencodeHooks {
  return {
    async 'experimental.session.compacting'({ sessionID }, { context }) {
      const options = { input: { session_id: sessionID }, timeoutMs: KEEP_MS }
      const { output } = await runPrecis(command, ['hook', 'opencode'], options)
      if (output.includes('"kept"')) context.push(CONTEXT)
    },
  }
}
