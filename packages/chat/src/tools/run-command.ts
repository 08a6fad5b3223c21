import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { readErrorCode } from '../contract/chat-agent.ts'
import { requireConsent, type Tool, ToolError, type ToolSurroundings } from './tool.ts'

const DEFAULT_TIMEOUT_SECONDS = 120
const LONGEST_TIMEOUT_SECONDS = 600
// Between the request to end and the end.
const GRACE_MS = 500

const timeout = z.number().min(1).max(LONGEST_TIMEOUT_SECONDS)
const input = z.strictObject({
  command: z.string().min(1).max(20_000).describe('for /bin/sh'),
  timeout_seconds: timeout.optional().describe(`${DEFAULT_TIMEOUT_SECONDS} by default`),
})

/**
 * One shell command, after the user has seen it. Nothing that it started in its process group
 * outlives it.
 */
export const runCommand: Tool<z.infer<typeof input>> = {
  name: 'run_command',
  description:
    'Runs a shell command in the working folder and gives its output and exit code. The person is asked first. There is no input, and background processes end with the command.',
  input,
  run: async ({ command, timeout_seconds: seconds = DEFAULT_TIMEOUT_SECONDS }, surroundings) => {
    const { root } = surroundings.workspace
    const firstLine = command.split('\n', 1)[0] ?? ''
    const what = firstLine === command ? command : `${firstLine} …`
    await requireConsent(surroundings, {
      tool: 'run_command',
      what,
      detail: `${command}\n\nin ${root}`,
    })
    const { output, ending } = await execute(command, seconds * 1000, surroundings)
    const text = `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}[${ending}]`
    if (ending !== 'exit code 0') throw new ToolError(text)
    return text
  },
}

// Killed with the process of the chat, when that ends in any way it can notice.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

async function execute(
  command: string,
  timeoutMs: number,
  { workspace, signal, maxOutputCharacters, environment }: ToolSurroundings,
): Promise<{ output: string; ending: string }> {
  signal.throwIfAborted()
  const child = spawn('/bin/sh', ['-c', 'exec 2>&1; eval "$1"', 'sh', command], {
    cwd: workspace.root,
    env: { ...environment },
    // Errors come in their place between the rest.
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: what the command starts can be ended with it.
    detached: true,
  })
  running.add(child)
  const collected = new CollectedOutput(maxOutputCharacters)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', collected.add)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const exited = new Promise<string>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new ToolError(`The command could not be started: ${error.message}.`)),
    )
    child.once('exit', (code, name) =>
      resolve(code === null ? `ended by ${name}` : `exit code ${code}`),
    )
  })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const stopped = new Promise<'stopped'>((resolve) => {
    if (limit.aborted) resolve('stopped')
    limit.addEventListener('abort', () => resolve('stopped'), { once: true })
  })
  try {
    const ending = await Promise.race([exited, stopped])
    if (ending === 'stopped') signalGroup(child, 'SIGTERM')
    if (ending === 'stopped') await Promise.race([exited, wait(GRACE_MS)])
    // Also after a good end: what it left in the background would hold the output open.
    signalGroup(child, 'SIGKILL')
    await Promise.race([closed, wait(GRACE_MS)])
    signal.throwIfAborted()
    const seconds = Math.round(timeoutMs / 1000)
    return {
      output: collected.render(),
      ending: ending === 'stopped' ? `stopped after ${seconds} s` : ending,
    }
  } finally {
    running.delete(child)
  }
}

function signalGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch (error) {
    // Gone already. EPERM: macOS, for a group of zombies.
    if (!['ESRCH', 'EPERM'].includes(readErrorCode(error) ?? '')) throw error
  }
}

const HEAD_SHARE = 0.4

/**
 * Output of any length in bounded memory: its beginning and its end. The middle is left out, and
 * its length shown.
 */
class CollectedOutput {
  readonly #decoder = new StringDecoder('utf8')
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = ''
  #tail = ''
  #dropped = 0

  constructor(maxCharacters: number) {
    this.#headLimit = Math.floor(maxCharacters * HEAD_SHARE)
    this.#tailLimit = maxCharacters - this.#headLimit
  }

  readonly add = (chunk: Buffer): void => {
    const text = this.#decoder.write(chunk)
    const room = this.#headLimit - this.#head.length
    this.#head += text.slice(0, room)
    this.#tail += text.slice(room)
    if (this.#tail.length > 2 * this.#tailLimit) this.#trim()
  }

  render(): string {
    this.#trim()
    const end = this.#tail + this.#decoder.end()
    if (this.#dropped === 0) return this.#head + end
    return `${this.#head}\n[… ${this.#dropped} characters left out …]\n${end}`
  }

  #trim(): void {
    this.#dropped += Math.max(0, this.#tail.length - this.#tailLimit)
    this.#tail = this.#tail.slice(-this.#tailLimit)
  }
}
