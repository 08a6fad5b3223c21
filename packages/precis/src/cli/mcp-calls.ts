/** What a call of a tool does, in the process that is there for it. */
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { CommanderError } from 'commander'
import type { HostCommand, ToolHost } from '../mcp/tool.ts'
import { McpToolError } from '../mcp/tool-error.ts'
import { type ToolReply, toolCall } from '../mcp/tool-reply.ts'
import { mcpTools } from '../mcp/tools/index.ts'
import { STANDARD_INPUT } from '../sessions/load-session.ts'
import { removeUnfinished } from '../sessions/write-file.ts'
import { providers } from '../summarizers/providers.ts'
import { parseSummarizerName } from '../summarizers/summarizer-name.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { renderJson } from '../terminal/terminal-text.ts'
import { listSearchedEntries, withArchive } from './archived-session.ts'
import type { DatabaseFlags } from './database-option.ts'
import { exitCodes } from './exit-codes.ts'
import { asFailure } from './failure.ts'
import { readConfigured } from './read-configured.ts'
import { createRecordingTerminal } from './recording-terminal.ts'

/** One call, from standard input to standard output. */
export async function callTool(name: string, flags: DatabaseFlags, terminal: Terminal): Promise<void> {
  const answer = await reply(name, readStandardInput, flags)
  // A record that is read whole is given as it was.
  await terminal.printBytes([Buffer.from(`${renderJson(answer)}\n`)])
  if ('error' in answer) {
    process.exitCode = answer.error.code === 'wrong-usage' ? exitCodes.wrongUsage : exitCodes.failed
  }
}

/** Answers the calls of the server that started this process, until it is gone. */
export async function answerCalls(flags: DatabaseFlags): Promise<void> {
  process.on('message', (message) => {
    const { data } = toolCall.safeParse(message)
    if (data) void reply(data.tool, async () => data.input, flags).then((answer) => process.send?.(answer))
  })
  await once(process, 'disconnect')
  removeUnfinished()
  process.exit(exitCodes.interrupted)
}

async function reply(name: string, readInput: () => Promise<unknown>, flags: DatabaseFlags): Promise<ToolReply> {
  try {
    const tool = mcpTools.find((candidate) => candidate.name === name)
    if (!tool) {
      const names = mcpTools.map((each) => each.name).join(', ')
      throw new McpToolError(`Calling "${name}": there is no such tool. Give ${names}.`)
    }
    const { texts, data } = await tool.run(await readInput(), createHost(flags))
    return { answer: { texts: [...texts], ...(data && { data: { ...data } }) } }
  } catch (error) {
    return { error: explainError(error, name) }
  }
}

async function readStandardInput(): Promise<unknown> {
  const json = await text(process.stdin)
  try {
    return JSON.parse(json)
  } catch {
    throw new McpToolError('Reading the input of the tool from standard input: it is no JSON.')
  }
}

function createHost(flags: DatabaseFlags): ToolHost {
  return {
    directory: process.cwd(),
    withArchive: async (work) => await withArchive('what was removed', flags, work),
    listSearchedEntries,
    runCommand: async (command) => {
      if (command.session === STANDARD_INPUT)
        throw new McpToolError('Reading "-": give the id or the path of a session.')
      const { terminal, recorded } = createRecordingTerminal((step, fraction) => process.send?.({ step, fraction }))
      await run(command, flags, terminal)
      return recorded
    },
  }
}

async function run(command: HostCommand, { database }: DatabaseFlags, terminal: Terminal): Promise<void> {
  if (command.name === 'inspect') {
    await (await import('./inspect.ts')).inspectSession(command.session, { json: true }, terminal)
    return
  }
  const { session, dryRun, budget, strategy, instructions } = command
  if (!dryRun) await refuseForeignAddress()
  await (await import('./compress.ts')).compress(
    session,
    {
      json: true,
      archive: true,
      dryRun,
      ...(budget !== undefined && { budget }),
      ...(strategy !== undefined && { strategy }),
      ...(instructions !== undefined && { instructions }),
      ...(database !== undefined && { database }),
    },
    terminal,
  )
}

/** Who sets where the model of summaries is found may be a project: the agent that started this takes an environment from it. */
async function refuseForeignAddress(): Promise<void> {
  const { summarizer } = await readConfigured()
  const main = parseSummarizerName(summarizer.name)?.provider
  for (const name of [summarizer.name, summarizer.strongModel ?? summarizer.name]) {
    const own = parseSummarizerName(name)?.provider ?? ''
    const variable = providers[own]?.baseUrlVariables.find((candidate) => process.env[candidate])
    if (variable === undefined || (own === main && summarizer.baseUrl !== undefined)) continue
    throw new McpToolError(
      `Compressing with "${name}": ${variable} is set, and a project can set the environment of its agent. Give the address as "baseUrl" of the summarizer in the user's configuration.`,
    )
  }
}

function explainError(error: unknown, name: string): { code: string; message: string } {
  if (error instanceof McpToolError) return { code: error.code, message: error.message }
  if (error instanceof CommanderError) return { code: 'wrong-usage', message: `Running ${name}: ${error.message}` }
  const failure = asFailure(error)
  if (failure) return { code: failure.code, message: failure.message }
  const said = error instanceof Error ? error.message : String(error)
  return {
    code: 'unexpected',
    message: `Running ${name}: an error that should not happen; please report it. No session was changed. ${said}`,
  }
}
