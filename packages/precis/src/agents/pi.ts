import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentIntegration, StartCommand } from './integration.ts'
import { createModuleEntry, findModuleUrl } from './module-entry.ts'

/** pi has no MCP: an extension in `extensions` (docs/extensions.md and docs/compaction.md of its package; tried with 0.73.1). */
export const pi: AgentIntegration = {
  agent: 'pi',
  recallTool: 'recall',
  findTraces: (environment) => [findFolder(environment)],
  listEntries: ({ environment, command }) => [
    createModuleEntry(
      join(findFolder(environment), 'extensions', 'precis.ts'),
      'extension with the tool "recall", which keeps and summarizes what is compacted',
      'pi',
      renderExtension(command),
    ),
  ],
}

function findFolder({ PI_CODING_AGENT_DIR }: NodeJS.ProcessEnv): string {
  return PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
}

// Without precis the agent goes on with its own compaction.
const renderExtension = (command: StartCommand) => `const command = ${JSON.stringify(command, null, 2)}

export default async function (pi) {
  try {
    const { extendPi } = await import(${JSON.stringify(findModuleUrl('pi-extension'))})
    extendPi(pi, command)
  } catch {
    pi.on("session_start", (_event, context) => {
      context.ui.notify("precis is gone; delete its extension, or install precis again.", "warning")
    })
  }
}
`
