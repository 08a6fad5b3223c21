/** Runs precis from an agent's own process, which may be any JavaScript runtime. */
import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { Environment, StartCommand } from './file-entry.ts'

export interface RunOptions {
  /** One JSON value for standard input. */
  readonly input?: unknown
  readonly timeoutMs: number
  readonly directory?: string
  readonly signal?: AbortSignal | undefined
}

export interface RunResult {
  /** Null if it was stopped, or could not be started. */
  readonly exitCode: number | null
  readonly output: string
  readonly errors: string
}

/**
 * Never rejects. `more` are words of letters and dashes. Session data goes to standard input only.
 */
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
    const settings = {
      timeout: timeoutMs,
      windowsHide: true,
      ...(directory !== undefined && { cwd: directory }),
      ...(signal && { signal }),
    }
    // Windows starts a batch file only through its shell, and Node only uses a shell if asked to.
    const child = /\.(?:cmd|bat)$/i.test(program)
      ? spawn([`"${program}"`, ...words, ...more].join(' '), { ...settings, shell: true })
      : spawn(program, [...words, ...more], settings)
    child.on('error', (error) => finish(null, error.message))
    child.on('close', (exitCode) => finish(exitCode))
    // A process with no room for more open files gets a child without streams, and then the error.
    if (!child.stdin) return
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    // The process may end before it has read all of it.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  })
}

const NAME = 'precis'
const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD'

export interface Machine {
  readonly environment: Environment
  readonly platform: NodeJS.Platform
  readonly isProgram: (path: string) => boolean
}

const thisMachine = (): Machine => {
  return { environment: process.env, platform: process.platform, isProgram }
}

export function findCommand(machine?: Machine): StartCommand | undefined {
  const program = findProgram(NAME, machine)
  return program === undefined ? undefined : { program, words: [] }
}

/**
 * Finds a command as a shell would: a link, a script or a shim of any tool. Never searches the
 * working directory, which belongs to a project. Undefined if there is none.
 */
export function findProgram(
  name: string,
  { environment, platform, isProgram }: Machine = thisMachine(),
): string | undefined {
  const isWindows = platform === 'win32'
  const paths = isWindows ? win32 : posix
  const folders = (environment.PATH ?? environment.Path ?? '')
    .split(paths.delimiter)
    .map((folder) => (isWindows ? folder.replaceAll('"', '') : folder))
  const endings = isWindows
    ? (environment.PATHEXT || WINDOWS_ENDINGS).toLowerCase().split(';')
    : ['']
  const candidates = folders
    .filter((folder) => paths.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => paths.join(folder, `${name}${ending}`)))
  return candidates.find(isProgram)
}

/** The message if there is none. */
export const COMMAND_MISSING = 'precis is not on the PATH: its README says how to install it'

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Most folders do not contain it.
    return false
  }
}
