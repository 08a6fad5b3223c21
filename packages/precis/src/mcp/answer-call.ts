/** Calls of tools, in the process that answers them. */
import { redactSecrets } from '@precis/core/secrets'
import pc from 'picocolors'
import { type DatabaseFlags, listSearchedEntries, withArchive } from '../archive/with-archive.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { describeError, reasonOf } from '../files/errors.ts'
import { findForeignAddress } from '../language-models/summarizer-name.ts'
import { STANDARD_INPUT } from '../sessions/load-session.ts'
import { redactValue, renderJson } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { mcpTools } from './tools/index.ts'
import { McpToolError, type ToolHost, type ToolReply } from './tools/tool.ts'

/** Never rejects. */
export async function answerCall(
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

function createHost(flags: DatabaseFlags): ToolHost {
  return {
    directory: process.cwd(),
    withArchive: async (work) => await withArchive('what was removed', flags, work),
    listSearchedEntries,
    compress: async ({ session, dryRun, budget, strategy, instructions }) => {
      assertNamed(session)
      if (!dryRun) await refuseForeignAddress()
      const { terminal, notes } = createNotingTerminal()
      const { compressNamed } = await import('../compression/compress-named.ts')
      const { listNotices, toCompressionJson } = await import('../reports/compression.ts')
      const settings = { budget, strategy, instructions, database: flags.database }
      const result = await compressNamed(
        session,
        { ...settings, json: true, archive: true, dryRun },
        terminal,
      )
      for (const notice of listNotices(result.report)) terminal.note(`precis: ${notice}`)
      return { json: redactValue(toCompressionJson(result)), notes }
    },
    inspect: async (session) => {
      assertNamed(session)
      const { terminal, notes } = createNotingTerminal()
      const { withInspected } = await import('../pages/inspected-page.ts')
      const { toInspectionJson } = await import('../reports/inspection.ts')
      const json = await withInspected(session, {}, terminal, toInspectionJson)
      return { json: redactValue(json), notes }
    },
  }
}

function assertNamed(session: string): void {
  if (session === STANDARD_INPUT)
    throw new McpToolError('Reading "-": give the id or the path of a session.')
}

const COLUMNS = 120

/** A terminal with no screen. Notes become part of the answer, and progress goes to the server. */
function createNotingTerminal() {
  const notes: string[] = []
  const note = (text: string) => void notes.push(redactSecrets(text))
  const terminal: Terminal = {
    colors: pc.createColors(false),
    columns: COLUMNS,
    print: note,
    printJson: (value) => note(renderJson(value)),
    printBytes: () =>
      Promise.reject(
        new McpToolError(
          'The result has no place where an agent finds it. Give a session of an agent.',
        ),
      ),
    note,
    progress: {
      show: (step, fraction) => process.send?.({ step, fraction }),
      clear: () => undefined,
    },
  }
  return { terminal, notes }
}

/**
 * The address of the summary model may come from a project, because a project can set the
 * environment of its agent.
 */
async function refuseForeignAddress(): Promise<void> {
  const { summarizer } = await readConfigured()
  for (const name of [summarizer.name, summarizer.strongModel ?? summarizer.name]) {
    const found = findForeignAddress(name, summarizer, process.env)
    if (!found) continue
    throw new McpToolError(
      `Compressing with "${name}": ${found.variable} is set, and a project can set the environment of its agent. ${found.remedy}`,
    )
  }
}

function explainError(error: unknown, name: string): { code: string; message: string } {
  const known = error instanceof McpToolError ? error : describeError(error)
  if (known) return { code: known.code, message: known.message }
  const message = reasonOf(error)
  return {
    code: 'unexpected',
    message: `Running ${name}: an error that should not happen. Please report it. ${message}`,
  }
}
