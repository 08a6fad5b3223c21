import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import { distrustEnvironment } from '../configuration/read-configured.ts'
import { McpToolError } from '../mcp/tools/tool.ts'
import { renderJson } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes } from './failure.ts'
import { addDatabaseOption } from './options.ts'

interface McpFlags extends DatabaseFlags {
  readonly call?: string
  readonly plugin?: string
}

export function defineMcp(command: Command, terminal: Terminal): void {
  addDatabaseOption(
    command.description(
      'Serves the Model Context Protocol on standard input and output. Agents start it, and "precis install" writes the entry for that. Their model gets four tools: recall removed text, inspect the tokens of a session, compress a session into a new one, and list sessions.',
    ),
  )
    .option(
      '--call <tool>',
      'run one tool and exit: JSON input on standard input, JSON answer on standard output',
    )
    .option(
      '--plugin <agent>',
      'for plugins of this agent: offer no tools if "precis install" has added a server that does',
    )
    .addHelpText('after', MCP_HELP)
    .action(async (flags: McpFlags) => {
      distrustEnvironment()
      if (flags.call !== undefined) await callTool(flags.call, flags, terminal)
      else {
        const { serve } = await import('../mcp/start-server.ts')
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

async function callTool(name: string, flags: DatabaseFlags, terminal: Terminal): Promise<void> {
  const { answerCall } = await import('../mcp/answer-call.ts')
  const answer = await answerCall(name, readStandardInput, flags)
  // A record that is read in full stays unchanged.
  await terminal.printBytes([Buffer.from(`${renderJson(answer)}\n`)])
  if ('error' in answer) {
    process.exitCode = answer.error.code === 'wrong-usage' ? exitCodes.wrongUsage : exitCodes.failed
  }
}

async function readStandardInput(): Promise<unknown> {
  const json = await text(process.stdin)
  try {
    return JSON.parse(json)
  } catch {
    throw new McpToolError('Reading the input of the tool from standard input: it is not JSON.')
  }
}
