/**
 * `precis mcp` as agents start it. Their first request does not wait for it, so it imports only
 * what the handshake needs: no other command, no format, no archive.
 */

import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { redactSecrets } from '@precis/core/secrets'
import { ZodError } from 'zod'
import { findModuleUrl, findStartCommand } from '../files/installed-files.ts'
import { createToolProcesses, type ToolProcesses } from './tool-process.ts'
import { type CheckedMcpTool, mcpTools } from './tools/index.ts'
import { makeHarmless, quoteLine } from './tools/quote-text.ts'
import type { ToolReply } from './tools/tool.ts'

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

interface McpServerOptions {
  readonly version: string
  readonly processes: ToolProcesses
  /** For messages that the protocol cannot carry. */
  readonly note: (text: string) => void
  /** False if another server of precis serves the same agent. */
  readonly hasTools: boolean
}

const INSTRUCTIONS =
  'precis compresses conversations with coding agents that got too long, and keeps what it removes. Where a summary of precis stands in this conversation, "recall" gives back what it leaves out.'

// Claude Code hides tools of servers until they are searched for, but not these
// (code.claude.com/docs/en/mcp).
const ALWAYS_SHOWN = { 'anthropic/alwaysLoad': true }

const NO_MESSAGE = 'A line on standard input is not a message of the protocol. It is ignored.'

/**
 * Serves on standard input and output until the client closes its end, or keeps sending invalid
 * input.
 */
async function serveMcp(options: McpServerOptions): Promise<void> {
  const { processes, note } = options
  process.on('exit', () => processes.end())
  const transport = new StdioServerTransport()
  const onerror = (error: Error) =>
    note(`precis: ${error instanceof ZodError ? NO_MESSAGE : error.message}`)
  const handle = serveStdio(() => createServer(options), { transport, onerror })
  await onClose(transport)
  processes.end()
  await handle.close()
}

/** Runs in addition to what the connection itself does on close. */
function onClose(transport: StdioServerTransport): Promise<void> {
  const { onclose } = transport
  return new Promise((resolve) => {
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}

function createServer({ version, processes, hasTools }: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'precis', title: 'precis', version },
    { instructions: INSTRUCTIONS },
  )
  if (!hasTools) return server
  for (const tool of mcpTools) register(server, tool, processes)
  return server
}

function register(server: McpServer, tool: CheckedMcpTool, processes: ToolProcesses): void {
  const { name, title, description, isReadOnly, isAlwaysShown = false } = tool
  const annotations = {
    title,
    readOnlyHint: isReadOnly,
    // It creates a new session each time, and never changes an existing one.
    destructiveHint: false,
    idempotentHint: isReadOnly,
    openWorldHint: false,
  }
  server.registerTool(
    name,
    {
      title,
      description,
      annotations,
      inputSchema: tool.input,
      ...(tool.output && { outputSchema: tool.output }),
      ...(isAlwaysShown && { _meta: ALWAYS_SHOWN }),
    },
    async (input, context) => {
      const { signal } = context.mcpReq
      return toResult(
        await processes.call(name, input, { signal, onProgress: createProgress(context) }),
      )
    },
  )
}

/** Undefined if the client did not request it. */
function createProgress({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let told = -1
  return ({ step, fraction }: { step: string; fraction: number }) => {
    // The protocol requires increasing values.
    if (fraction <= told || mcpReq.signal.aborted) return
    told = fraction
    const params = { progressToken, progress: fraction, total: 1, message: makeHarmless(step) }
    // Other code notices that a client is gone.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}

function toResult(reply: ToolReply): CallToolResult {
  if ('error' in reply)
    return {
      isError: true,
      content: [{ type: 'text', text: makeHarmless(redactSecrets(reply.error.message)) }],
    }
  const { texts, data } = reply.answer
  const content = texts.map((text) => ({ type: 'text' as const, text }))
  return data ? { content, structuredContent: data } : { content }
}
