/** A command on a real pseudo-terminal, with what a person would see of it. */

import { createRequire } from 'node:module'
import { spawn } from '@lydell/node-pty'

// An import by Node itself sees no names in it.
const { Terminal }: typeof import('@xterm/headless') = createRequire(import.meta.url)(
  '@xterm/headless',
)

export interface PseudoTerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
}

type IsSo = (waitedMs: number) => boolean | Promise<boolean>

export interface Pace {
  readonly patienceMs: number
  /** Between two looks. */
  readonly lookMs: number
}

export interface PseudoTerminal {
  readonly pid: number
  /** Lines of the screen, without spaces at their ends. */
  screen(): string[]
  /** The screen and all that is scrolled away above it. */
  everything(): string[]
  /** As it came from the command. */
  output(): string
  type(text: string): void
  press(key: keyof typeof KEYS): void
  resize(columns: number, rows: number): void
  /** Whether the screen says it. */
  shows(text: string | RegExp): boolean
  /** Until it is so; rejects with the screen when it does not come. */
  until(isSo: IsSo, what: string, pace?: Pace): Promise<void>
  /** Until the screen says it. */
  see(text: string | RegExp): Promise<void>
  /** Until the screen says it no more. */
  miss(text: string | RegExp): Promise<void>
  close(): void
  readonly exit: Promise<{ readonly code: number; readonly signal: number | undefined }>
}

export const KEYS = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
  backspace: '\u007f',
  'alt-enter': '\u001b\r',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
} as const

const PACE: Pace = { patienceMs: 20_000, lookMs: 20 }
const SCROLLBACK_LINES = 5000

export function startOnTerminal(
  words: readonly string[],
  options: PseudoTerminalOptions = {},
): PseudoTerminal {
  const { columns = 100, rows = 30, environment = {}, directory = process.cwd() } = options
  const seen = new Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
  })
  const child = spawn(process.execPath, [...words], {
    name: environment.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      LANG: 'C.UTF-8',
      ...environment,
    },
  })
  let output = ''
  child.onData((data) => {
    output += data
    seen.write(data)
  })
  const exit = new Promise<{ code: number; signal: number | undefined }>((resolve) => {
    child.onExit(({ exitCode, signal }) => resolve({ code: exitCode, signal }))
  })
  const read = (from: number) => {
    const buffer = seen.buffer.active
    return Array.from(
      { length: buffer.baseY + seen.rows - from },
      (_, line) =>
        buffer
          .getLine(from + line)
          ?.translateToString(true)
          .trimEnd() ?? '',
    )
  }
  const screen = () => read(seen.buffer.active.baseY)
  const shows = (text: string | RegExp) => {
    const shown = screen().join('\n')
    return typeof text === 'string' ? shown.includes(text) : text.test(shown)
  }
  const until = async (isSo: IsSo, what: string, { patienceMs, lookMs } = PACE) => {
    const begin = performance.now()
    while (!(await isSo(performance.now() - begin))) {
      if (performance.now() - begin > patienceMs)
        throw new Error(`Waiting for ${what}; the screen says:\n${screen().join('\n')}`)
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  }
  return {
    pid: child.pid,
    exit,
    screen,
    everything: () => read(0),
    output: () => output,
    type: (text) => child.write(text),
    press: (key) => child.write(KEYS[key]),
    resize(newColumns, newRows) {
      seen.resize(newColumns, newRows)
      child.resize(newColumns, newRows)
    },
    shows,
    until,
    see: (text) => until(() => shows(text), `${text}`),
    miss: (text) => until(() => !shows(text), `the end of ${text}`),
    close: () => child.kill('SIGKILL'),
  }
}
