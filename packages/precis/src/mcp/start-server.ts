/**
 * `precis mcp` as agents start it. Their first request does not wait for it, so it imports only
 * what the handshake needs: no other command, no format, no archive.
 */
import { findModuleUrl, findStartCommand } from '../files/installed-files.ts'
import { serveMcp } from './server.ts'
import { createToolProcesses } from './tool-process.ts'
import { quoteLine } from './tools/quote-text.ts'

const NOTE_CHARACTERS = 500

export interface ServeOptions {
  readonly version: string
  readonly database?: string | undefined
  /** The agent whose plugin started it. */
  readonly plugin?: string | undefined
}

type ServerNote = (line: string) => void

/** Runs until the client closes standard input. */
export async function serve({ version, database, plugin }: ServeOptions): Promise<void> {
  const note: ServerNote = (line) =>
    void process.stderr.write(`${quoteLine(line, NOTE_CHARACTERS)}\n`)
  const processes = createToolProcesses(
    new URL(findModuleUrl('mcp/worker')),
    database === undefined ? [] : [database],
  )
  let told: Promise<void> | undefined
  const call: typeof processes.call = async (...given) => {
    told ??= tellIgnored(note)
    await told
    return await processes.call(...given)
  }
  const hasTools = plugin === undefined || !(await isInstalled(plugin))
  setTimeout(() => void leaveToPlugins(note), LOOK_MS).unref()
  await serveMcp({ version, processes: { ...processes, call }, note, hasTools })
}

/** Whether the agent has the tools from "precis install". */
async function isInstalled(name: string): Promise<boolean> {
  const { agents } = await import('../agents/index.ts')
  const { findRecallTool } = await import('../installation/recall-tool.ts')
  const agent = agents.find((known) => known.name === name)
  return agent !== undefined && findRecallTool(agent) !== undefined
}

// After the handshake.
const LOOK_MS = 1000

/**
 * A plugin may be added after an installation, and then most agents start only the installed
 * server.
 */
async function leaveToPlugins(note: ServerNote): Promise<void> {
  try {
    const { agents } = await import('../agents/index.ts')
    const { removeBrought } = await import('../installation/apply-plan.ts')
    const places = { environment: process.env, command: findStartCommand() }
    await removeBrought(
      agents.flatMap(({ installation }) => installation?.listEntries(places) ?? []),
    )
  } catch (error) {
    note(`precis: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Workers have no standard error of their own. */
async function tellIgnored(note: ServerNote): Promise<void> {
  const { distrustEnvironment, readConfigured } = await import(
    '../configuration/read-configured.ts'
  )
  try {
    distrustEnvironment()
    await readConfigured()
  } catch (error) {
    note(`precis: ${error instanceof Error ? error.message : String(error)}`)
  }
}

// The exit codes that a shell reports for a process that a signal ended.
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The same as the only work of the process. */
export async function startServer(version: string): Promise<void> {
  for (const [signal, exitCode] of Object.entries(SIGNALS))
    process.on(signal, () => process.exit(exitCode))
  // A client that is gone is not a failure.
  process.stdout.on('error', () => process.exit(0))
  await serve({ version })
}
