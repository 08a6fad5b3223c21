/**
 * `precis mcp` as agents start it. Their first request does not wait for it, so nothing is imported that the handshake
 * does without: no other command, no format, no archive.
 */
import { quoteLine } from '../mcp/quote-text.ts'
import { serveMcp } from '../mcp/server.ts'
import { createToolProcesses } from '../mcp/tool-process.ts'

const NOTE_CHARACTERS = 500

/** Until the client closes standard input. `program` is the file that runs now. */
export async function serve(program: string, version: string, database?: string): Promise<void> {
  const words = ['mcp', ...(database === undefined ? [] : ['--database', database]), '--worker']
  const note = (line: string) => void process.stderr.write(`${quoteLine(line, NOTE_CHARACTERS)}\n`)
  const processes = createToolProcesses(program, words)
  let told: Promise<void> | undefined
  const call: typeof processes.call = async (...given) => {
    told ??= tellIgnored(note)
    await told
    return await processes.call(...given)
  }
  await serveMcp({ version, processes: { ...processes, call }, note })
}

/** Its workers have no standard error of their own. */
async function tellIgnored(note: (line: string) => void): Promise<void> {
  const { distrustEnvironment, readConfigured } = await import('./read-configured.ts')
  try {
    distrustEnvironment()
    await readConfigured()
  } catch (error) {
    note(`precis: ${error instanceof Error ? error.message : String(error)}`)
  }
}

// What a shell says of a process that a signal ended.
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The same, as the whole of what the process does. */
export async function startServer(program: string, version: string): Promise<void> {
  for (const [signal, exitCode] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(exitCode))
  // A client that is gone is no failure.
  process.stdout.on('error', () => process.exit(0))
  await serve(program, version)
}
