/**
 * Calls run in separate processes. A large session blocks a process for seconds, and the server has
 * to receive cancellations meanwhile. A finished process waits for the next call for a while,
 * because starting one takes the longest.
 *
 *   client ⇄ server ──{ tool, input }──► process
 *                   ◄──{ step, fraction }──
 *                   ◄──{ answer } or { error }──             SIGTERM: it was cancelled
 */
import { type ChildProcess, fork } from 'node:child_process'
import pLimit from 'p-limit'
import { type ToolProgress, type ToolReply, toolProgress, toolReply } from './tools/tool.ts'

interface ToolCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined
}

export interface ToolProcesses {
  /** Never rejects. The crash of a process is an error to report. */
  call(tool: string, input: unknown, options: ToolCallOptions): Promise<ToolReply>
  end(): void
}

// As many as a small machine can run. Others wait.
const AT_ONCE = 2
const IDLE_MS = 60_000
// Time after a request to end, which a busy process does not receive.
const PATIENCE_MS = 2_000
const MOST_SAID = 8_000

/** `worker` is a module that answers calls. `words` are its arguments. */
export function createToolProcesses(worker: URL, words: readonly string[]): ToolProcesses {
  const limit = pLimit(AT_ONCE)
  const running = new Set<Worker>()
  const idle: Worker[] = []
  const start = () => {
    const started = new Worker(
      fork(worker, [...words], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }),
    )
    running.add(started)
    void started.ended.then(() => {
      running.delete(started)
      const place = idle.indexOf(started)
      if (place >= 0) idle.splice(place, 1)
    })
    return started
  }
  return {
    call: (tool, input, options) =>
      limit(async () => {
        if (options.signal.aborted) return cancelled(tool)
        let free = idle.pop()
        // One that was told to end is idle until it has ended.
        while (free && !free.isFree) free = idle.pop()
        free ??= start()
        const reply = await free.call(tool, input, options)
        if (free.isFree) idle.push(free)
        return reply
      }),
    end() {
      for (const each of running) each.stop()
    },
  }
}

class Worker {
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  #said = ''
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    this.ended = new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message))
      child.on('exit', (code, by) =>
        resolve(by === null ? `it ended with exit code ${code}` : `it was ended by ${by}`),
      )
    })
    void this.ended.then(() => {
      this.#isStopped = true
      clearTimeout(this.#timer)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said = `${this.#said}${chunk.toString('utf8')}`.slice(-MOST_SAID)
    })
  }

  /** Whether another call may come. */
  get isFree(): boolean {
    return !this.#isStopped
  }

  async call(
    tool: string,
    input: unknown,
    { signal, onProgress }: ToolCallOptions,
  ): Promise<ToolReply> {
    clearTimeout(this.#timer)
    this.#said = ''
    const stop = () => this.stop()
    signal.addEventListener('abort', stop, { once: true })
    const replied = this.#listen(onProgress)
    // If the process is gone, its end reports why.
    this.#child.send({ tool, input: input ?? {} }, () => undefined)
    const reply = await Promise.race([replied, this.ended])
    signal.removeEventListener('abort', stop)
    this.#child.removeAllListeners('message')
    if (signal.aborted) return cancelled(tool)
    if (typeof reply !== 'string') {
      this.#timer = setTimeout(stop, IDLE_MS).unref()
      return reply
    }
    // Before the error come the line of code that threw it, or the last collections of a process that
    // ran out of memory.
    const lines = this.#said.trim().split('\n')
    const cause = lines.find((line) => /^(?:fatal )?\w*error\b/i.test(line)) ?? lines[0] ?? ''
    return {
      error: {
        code: 'unexpected',
        message: `Running ${tool}: ${reply} and gave no answer. ${cause}`.trim(),
      },
    }
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#child.kill()
    this.#timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS).unref()
  }

  #listen(onProgress: ToolCallOptions['onProgress']): Promise<ToolReply> {
    return new Promise((resolve) => {
      this.#child.on('message', (message) => {
        const { data: progress } = toolProgress.safeParse(message)
        if (progress) onProgress?.(progress)
        const { data: reply } = toolReply.safeParse(message)
        if (reply) resolve(reply)
      })
    })
  }
}

function cancelled(tool: string): ToolReply {
  return { error: { code: 'cancelled', message: `Running ${tool}: it was cancelled.` } }
}
