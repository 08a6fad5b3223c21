/** Runs an agent on one prompt, in a group of processes that ends with it. */

import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { spawn } from 'cross-spawn'
import type { Headless, HeadlessPlan } from '../agents/shared/headless.ts'
import { explainSystemError, quietly, systemErrorCode } from '../files/errors.ts'

export interface AgentRun {
  readonly plan: HeadlessPlan
  /** Empty. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly prompt: string
  /** Ends it with all that it started. */
  readonly signal: AbortSignal
}

/** What it printed, or why there is nothing to read. */
export type AgentOutput =
  | { readonly type: 'ended'; readonly output: string; readonly errors: string }
  | { readonly type: 'not-started' | 'too-long'; readonly message: string }

// No answer is nearly as large.
const MOST_OUTPUT_CHARACTERS = 16 << 20
const MOST_ERROR_CHARACTERS = 4000
// To remove what it notes about a run.
const GRACE_MS = 2000

/**
 * Rejects with the reason of the signal. The prompt goes to standard input, where other users of
 * the machine cannot read it.
 */
export async function runAgent(headless: Headless, run: AgentRun): Promise<AgentOutput> {
  const { plan, folder, environment, prompt, signal } = run
  signal.throwIfAborted()
  for (const [name, text] of Object.entries(plan.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
  const child = spawn(headless.program, [...plan.arguments], {
    cwd: folder,
    env: { ...environment, ...plan.environment },
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  noteStart(child)
  let kill: NodeJS.Timeout | undefined
  const end = () => {
    endGroup(child, 'SIGTERM')
    kill ??= setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    const collected = collect(child, headless.repeats, end)
    // It may end without having read all of it.
    child.stdin?.on('error', () => child.stdin?.destroy())
    child.stdin?.end(prompt)
    await untilEnded(child)
    signal.throwIfAborted()
    return collected()
  } catch (error) {
    signal.throwIfAborted()
    const isMissing = systemErrorCode(error) === 'ENOENT'
    const message = isMissing
      ? `there is no program "${headless.program}". "${headless.install}" installs it`
      : `"${headless.program}" could not be started: ${explainSystemError(error)}`
    return { type: 'not-started', message }
  } finally {
    signal.removeEventListener('abort', end)
    clearTimeout(kill)
    // What it started may still run.
    endGroup(child, 'SIGKILL')
    running.delete(child)
  }
}

function untilEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
}

function collect(child: ChildProcess, repeats: string | undefined, end: () => void) {
  const lines: string[] = []
  let [rest, errors, characters] = ['', '', 0]
  const keep = (line: string) => {
    if (repeats !== undefined && line.startsWith(repeats)) return
    lines.push(line)
    characters += line.length
  }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n')
    rest += first
    for (const line of others) {
      keep(rest)
      rest = line
    }
    if (characters + rest.length > MOST_OUTPUT_CHARACTERS) end()
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-MOST_ERROR_CHARACTERS)
  })
  return (): AgentOutput => {
    if (characters + rest.length > MOST_OUTPUT_CHARACTERS) {
      const message = `it printed more than ${MOST_OUTPUT_CHARACTERS} characters`
      return { type: 'too-long', message }
    }
    return { type: 'ended', output: [...lines, rest].join('\n'), errors }
  }
}

const running = new Set<ChildProcess>()

/** A group of its own does not hear what ends this process. */
function noteStart(child: ChildProcess): void {
  if (running.size === 0) {
    if (!process.listeners('exit').includes(endAll)) process.once('exit', endAll)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      if (process.listenerCount(signal) === 0)
        process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  running.add(child)
}

function endAll(): void {
  for (const child of running) endGroup(child, 'SIGKILL')
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  quietly(() =>
    process.platform === 'win32'
      ? execFileSync('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' })
      : process.kill(-pid, signal),
  )
}
