/** Runs precis from inside an agent's own process, which may be any JavaScript runtime. */
import { spawn } from 'node:child_process'
import type { StartCommand } from './agent.ts'

export interface RunOptions {
  /** One JSON value for standard input. */
  readonly input?: unknown
  readonly timeoutMs: number
  readonly directory?: string
  readonly signal?: AbortSignal | undefined
}

export interface RunResult {
  /** Null when it was stopped, or could not be started. */
  readonly exitCode: number | null
  readonly output: string
  readonly errors: string
}

/** Never rejects. */
export function runPrecis(
  { program, words }: StartCommand,
  more: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const { input, timeoutMs, directory, signal } = options
  return new Promise((resolve) => {
    const output: Buffer[] = []
    const errors: Buffer[] = []
    const finish = (exitCode: number | null, problem = '') =>
      resolve({
        exitCode,
        output: Buffer.concat(output).toString(),
        errors: `${Buffer.concat(errors).toString()}${problem}`,
      })
    const child = spawn(program, [...words, ...more], {
      timeout: timeoutMs,
      windowsHide: true,
      ...(directory !== undefined && { cwd: directory }),
      ...(signal && { signal }),
    })
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    child.on('error', (error) => finish(null, error.message))
    child.on('close', (exitCode) => finish(exitCode))
    // It may end without having read all of it.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  })
}
