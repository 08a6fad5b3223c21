import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import { addDatabaseOption, type DatabaseFlags, distrustEnvironment } from './read-configured.ts'

interface McpFlags extends DatabaseFlags {
  readonly call?: string
  readonly plugin?: string
}

export function defineMcp(command: Command, terminal: Terminal): void {
  addDatabaseOption(
    command.description(
      'Serves the Model Context Protocol on standard input and output, for an agent to start. Its model gets four tools: recall what compressions removed, inspect where the tokens of a session are, compress a session into a new one, and list sessions. "precis install" writes the entry that starts it.',
    ),
  )
    .option(
      '--call <tool>',
      'run one tool instead: its input as JSON on standard input, its answer as JSON on standard output',
    )
    .option(
      '--plugin <agent>',
      'a plugin of this agent started it: it has no tools where "precis install" put in a server that has them',
    )
    .addHelpText('after', MCP_HELP)
    .action(async (flags: McpFlags) => {
      distrustEnvironment()
      if (flags.call !== undefined)
        await (await import('./mcp-calls.ts')).callTool(flags.call, flags, terminal)
      else {
        const { serve } = await import('./start-mcp-server.ts')
        await serve({
          version: command.parent?.version() ?? '',
          database: flags.database,
          plugin: flags.plugin,
        })
      }
    })
}

const MCP_HELP = `
Examples:
  claude mcp add --scope user precis -- precis mcp
  codex mcp add precis -- precis mcp
  gemini mcp add --scope user precis precis mcp
  echo '{"query": "migration plan"}' | precis mcp --call recall

Sessions are those of the folder that it is started in, unless a call names another one. It ends when standard input ends.

Exit codes: 0 done, also when a call of a client failed, 1 failed, 2 wrong usage, 143 ended by a signal.
`
