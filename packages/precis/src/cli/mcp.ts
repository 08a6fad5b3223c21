import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import { addDatabaseOption, type DatabaseFlags, distrustEnvironment } from './read-configured.ts'

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
    .addHelpText('after', MCP_HELP)
    .action(async (flags: DatabaseFlags & { readonly call?: string }) => {
      distrustEnvironment()
      if (flags.call !== undefined) await (await import('./mcp-calls.ts')).callTool(flags.call, flags, terminal)
      else await (await import('./start-mcp-server.ts')).serve(command.parent?.version() ?? '', flags.database)
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
