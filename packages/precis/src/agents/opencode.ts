import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentIntegration, JsonEntry, StartCommand } from './integration.ts'
import { isOwnServer, SERVER_IN_WORDS, SERVER_NAME, SERVER_WORD } from './mcp-entry.ts'
import { createModuleEntry, findModuleUrl } from './module-entry.ts'

/**
 * The server in `opencode.json` or `opencode.jsonc`, the plugin in `plugins`
 * (opencode.ai/docs/mcp-servers and /docs/plugins; tried with 1.18.33).
 */
export const opencode: AgentIntegration = {
  agent: 'opencode',
  recallTool: 'precis_recall',
  findTraces: (environment) => [findFolder(environment), join(findData(environment), 'opencode')],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    const server: JsonEntry = {
      type: 'json',
      path: findConfiguration(folder),
      what: SERVER_IN_WORDS,
      names: ['mcp', SERVER_NAME],
      isElement: false,
      value: { type: 'local', command: [command.program, ...command.words, SERVER_WORD], enabled: true },
      isOwn: isOwnServer,
    }
    const plugin = createModuleEntry(
      join(folder, 'plugins', 'precis.js'),
      'plugin that keeps the session before it is compacted',
      'opencode',
      renderPlugin(command),
    )
    return [server, plugin]
  },

  note: 'The first time it has a plugin, OpenCode fetches a library for plugins into the folder of its settings, and leaves it there.',
}

function findFolder({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'opencode')
}

function findData({ XDG_DATA_HOME }: NodeJS.ProcessEnv): string {
  return XDG_DATA_HOME || join(homedir(), '.local', 'share')
}

/** The agent itself takes the first that is there. */
function findConfiguration(folder: string): string {
  const withComments = join(folder, 'opencode.jsonc')
  const plain = join(folder, 'opencode.json')
  return !existsSync(plain) && existsSync(withComments) ? withComments : plain
}

// Without precis the agent goes on as if the file were not there.
const renderPlugin = (command: StartCommand) => `const command = ${JSON.stringify(command, null, 2)}

export const precis = async () => {
  try {
    const { createOpencodePlugin } = await import(${JSON.stringify(findModuleUrl('opencode-plugin'))})
    return createOpencodePlugin(command)
  } catch {
    return {}
  }
}
`
