/** Calls of tools, in the process that answers them. */
import { text } from 'node:stream/consumers'
import { redactSecrets } from '@precis/core/secrets'
import { CommanderError } from 'commander'
import pc from 'picocolors'
import { parseSummarizerName, providers } from '../language-models/providers.ts'
import { mcpTools } from '../mcp/tools/index.ts'
import { McpToolError, type ToolHost, type ToolReply } from '../mcp/tools/tool.ts'
import { STANDARD_INPUT } from '../sessions/load-session.ts'
import { redactValue, renderJson } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { listSearchedEntries, withArchive } from './archived-session.ts'
import { asFailure, exitCodes, wrongUsage } from './failure.ts'
import { type DatabaseFlags, readConfigured } from './read-configured.ts'

export async function callTool(
  name: string,
  flags: DatabaseFlags,
  terminal: Terminal,
): Promise<void> {
  const answer = await reply(name, readStandardInput, flags)
  // A record that is read whole stays as it was.
  await terminal.printBytes([Buffer.from(`${renderJson(answer)}\n`)])
  if ('error' in answer) {
    process.exitCode = answer.error.code === 'wrong-usage' ? exitCodes.wrongUsage : exitCodes.failed
  }
}

/** Never rejects. */
export async function reply(
  name: string,
  readInput: () => Promise<unknown>,
  flags: DatabaseFlags,
): Promise<ToolReply> {
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
    compress: async ({ session, dryRun, budget, strategy, instructions }) => {
      assertNamed(session)
      if (!dryRun) await refuseForeignAddress()
      const { terminal, notes } = createNotingTerminal()
      const { compress } = await import('./compress.ts')
      const { explainSubstitute, toCompressionJson } = await import('./compress-report.ts')
      const settings = { budget, strategy, instructions, database: flags.database }
      const result = await compress(
        session,
        { ...settings, json: true, archive: true, dryRun },
        terminal,
      )
      const substitute = explainSubstitute(result.report)
      if (substitute !== undefined) terminal.note(`precis: ${substitute}.`)
      return { json: redactValue(toCompressionJson(result)), notes }
    },
    inspect: async (session) => {
      assertNamed(session)
      const { terminal, notes } = createNotingTerminal()
      const { measure } = await import('./inspect.ts')
      return { json: redactValue(await measure(session, terminal)), notes }
    },
  }
}

function assertNamed(session: string): void {
  if (session === STANDARD_INPUT)
    throw new McpToolError('Reading "-": give the id or the path of a session.')
}

const COLUMNS = 120

/** A terminal without a screen: notes become part of the answer, progress is for the server. */
function createNotingTerminal() {
  const notes: string[] = []
  const note = (text: string) => void notes.push(redactSecrets(text))
  const terminal: Terminal = {
    colors: pc.createColors(false),
    columns: COLUMNS,
    print: note,
    printJson: (value) => note(renderJson(value)),
    printBytes: () =>
      Promise.reject(wrongUsage('The result has no place of its own. Give a session of an agent.')),
    note,
    progress: {
      show: (step, fraction) => process.send?.({ step, fraction }),
      clear: () => undefined,
    },
  }
  return { terminal, notes }
}

/**
 * The address of the model of summaries may come from a project, which can set the environment of
 * its agent.
 */
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
  if (error instanceof CommanderError)
    return { code: 'wrong-usage', message: `Running ${name}: ${error.message}` }
  const known = error instanceof McpToolError ? error : asFailure(error)
  if (known) return { code: known.code, message: known.message }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'unexpected',
    message: `Running ${name}: an error that should not happen; please report it. No session was changed. ${message}`,
  }
}
