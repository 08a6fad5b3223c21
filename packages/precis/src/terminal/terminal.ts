/**
 * The output of every command: data to standard output, messages and progress to standard error.
 */
import { once } from 'node:events'
import { redactSecrets } from '@precis/core/secrets'
import pc from 'picocolors'
import { explainSystemError, SessionError } from '../files/errors.ts'
import { type Colors, cutToWidth, redactValue, renderBar, renderJson, wrapLines } from './render.ts'

export interface Terminal {
  /** For text on standard output. */
  readonly colors: Colors
  readonly columns: number
  /** Data: standard output. No text shows what looks like a secret. */
  print(text: string): void
  printJson(value: unknown): void
  /** Exactly these bytes, for output that must not be changed. */
  printBytes(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<number>
  /** Writes messages to standard error. */
  note(text: string): void
  readonly progress: Progress
}

interface Progress {
  show(step: string, fraction: number): void
  clear(): void
}

const PIPE_COLUMNS = 160
const BAR_COLUMNS = 24
const CLEAR_LINE = '\r\u{1b}[K'

export function createTerminal(environment: NodeJS.ProcessEnv = process.env): Terminal {
  const { stdout, stderr } = process
  const progress = createProgress(stderr, hasColors(stderr, environment))
  return {
    colors: pc.createColors(hasColors(stdout, environment)),
    columns: stdout.columns || Number.parseInt(environment.COLUMNS ?? '', 10) || PIPE_COLUMNS,
    progress,
    print: (text) => void stdout.write(`${fitLines(redactSecrets(text), stdout)}\n`),
    printJson: (value) => void stdout.write(`${renderJson(redactValue(value))}\n`),
    note(text) {
      progress.clear()
      stderr.write(`${fitLines(redactSecrets(text), stderr)}\n`)
    },
    async printBytes(chunks) {
      let bytes = 0
      for await (const chunk of chunks) {
        // A chunk is a view that lives until the next one is read.
        const taken = stdout.write(Uint8Array.prototype.slice.call(chunk))
        bytes += chunk.length
        if (!taken) await once(stdout, 'drain')
      }
      return bytes
    },
  }
}

/** No terminal breaks a line inside a word. What a pipe gets stays as it is. */
export function fitLines(text: string, { columns }: Pick<NodeJS.WriteStream, 'columns'>): string {
  return columns > 0 ? wrapLines(text, columns) : text
}

/** The conventions of no-color.org and force-color.org. */
export function hasColors(stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): boolean {
  if (environment.NO_COLOR) return false
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== '0'
  return stream.isTTY === true && environment.TERM !== 'dumb'
}

/** One line of a terminal that is overwritten. Nothing in a pipe. */
function createProgress(stderr: NodeJS.WriteStream, colored: boolean): Progress {
  const colors = pc.createColors(colored)
  let isShown = false
  return {
    show(step, fraction) {
      if (!stderr.isTTY) return
      const bar = renderBar(fraction, BAR_COLUMNS)
      const rest = '·'.repeat(Math.max(BAR_COLUMNS - bar.length, 0))
      const space = Math.max(stderr.columns - BAR_COLUMNS - 1, 0)
      stderr.write(`${CLEAR_LINE}${colors.cyan(bar)}${colors.dim(rest)} ${cutToWidth(step, space)}`)
      isShown = true
    },
    clear() {
      if (isShown) stderr.write(CLEAR_LINE)
      isShown = false
    },
  }
}

/**
 * Ends the process if standard output cannot be written. A reader that stops early, as in
 * `precis sessions | head`, is not a failure.
 */
export function endOnClosedPipe(fail: (error: SessionError) => never): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    fail(
      new SessionError('unwritable', `Writing to standard output: ${explainSystemError(error)}.`),
    )
  })
}

/**
 * Whether precis can ask the user: keys can be read, and drawings are visible. Standard output may
 * be a file.
 */
export function isInteractive({ json }: { readonly json?: boolean | undefined }): boolean {
  const { CI, TERM } = process.env
  const isAutomatic = CI !== undefined && !['', '0', 'false'].includes(CI)
  return process.stdin.isTTY && process.stderr.isTTY && !json && !isAutomatic && TERM !== 'dumb'
}

/** One line from the user, asked for on standard error. Empty if the input ended. */
export async function askLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // In raw mode Ctrl+C sends no signal, and readline would just close.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  lines.setPrompt(question)
  lines.prompt()
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  return typeof line === 'string' ? line : ''
}
