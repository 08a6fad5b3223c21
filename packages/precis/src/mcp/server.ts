import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { redactSecrets } from '@precis/core/secrets'
import { ZodError } from 'zod'
import type { ToolProcesses } from './tool-process.ts'
import { type CheckedMcpTool, mcpTools } from './tools/index.ts'
import { makeHarmless } from './tools/quote-text.ts'
import type { ToolReply } from './tools/tool.ts'

export interface McpServerOptions {
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
export async function serveMcp(options: McpServerOptions): Promise<void> {
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
