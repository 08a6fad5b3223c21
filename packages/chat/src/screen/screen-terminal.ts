/**
 * The terminal for the screen library: keys from standard input, drawings on standard output. It
 * restores the terminal at every end of the process that code can handle. It never clears the
 * scrollback, which belongs to the user's shell.
 */

import {
  ProcessTerminal,
  StdinBuffer,
  setKittyProtocolActive,
  type TUI,
} from '@mariozechner/pi-tui'

const PASTE_ON = '\u001b[?2004h'
const PASTE_OFF = '\u001b[?2004l'
const CURSOR_ON = '\u001b[?25h'
const RESET_STYLE = '\u001b[0m'
// Asks whether the terminal distinguishes Shift+Enter from Enter. Such a terminal answers with its
// flags.
const KITTY_QUERY = '\u001b[?u'
const KITTY_ON = '\u001b[>1u'
const KITTY_OFF = '\u001b[<u'
const KITTY_ANSWER = '\u001b[?'
const WATCH_MS = 500
const CLEAR_ALL = '\u001b[2J\u001b[H\u001b[3J'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'

interface ScreenTerminalEvents {
  /** Called when the terminal is gone: a closed window, or a parent that was killed. */
  readonly onGone: () => void
  /** After a change of size, the first line to draw again, given the line that was at the top. */
  readonly findLine: (lineBefore: number) => number
}

export class ScreenTerminal extends ProcessTerminal {
  /** How many lines the next write draws. */
  expectedLines = 0
  readonly #events: ScreenTerminalEvents
  readonly #parent = process.ppid
  #drawn = { columns: 0, rows: 0, lines: 0 }
  /** Resets the modes. Undefined while none is on. */
  #restore: (() => void) | undefined
  #hasKitty = false

  constructor(events: ScreenTerminalEvents) {
    super()
    this.#events = events
  }

  override get kittyProtocolActive(): boolean {
    return this.#hasKitty
  }

  override write(data: string): void {
    process.stdout.write(data.includes(CLEAR_ALL) ? this.#keepScrollback(data) : data)
    this.#drawn = { columns: this.columns, rows: this.rows, lines: this.expectedLines }
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin, stdout } = process
    const { onGone } = this.#events
    const keys = new StdinBuffer({ timeout: 10 })
    const receive = (data: string) => keys.process(data)
    keys.on('data', (sequence) => {
      if (!sequence.startsWith(KITTY_ANSWER) || !sequence.endsWith('u')) onInput(sequence)
      else if (!this.#hasKitty) this.#useKitty()
    })
    keys.on('paste', (text) => onInput(`\u001b[200~${text}\u001b[201~`))
    stdin.setRawMode?.(true)
    stdin.setEncoding('utf8')
    stdin.on('data', receive)
    stdin.on('end', onGone)
    stdin.on('error', onGone)
    stdin.resume()
    // If the parent is killed, precis runs on a terminal that its shell reads too.
    const watch = setInterval(() => {
      if (process.ppid !== this.#parent) onGone()
    }, WATCH_MS)
    watch.unref()
    stdout.on('resize', onResize)
    stdout.write(PASTE_ON + KITTY_QUERY)
    this.#restore = () => {
      keys.destroy()
      stdin.off('data', receive)
      stdin.off('end', onGone)
      clearInterval(watch)
      stdout.off('resize', onResize)
      stdout.write(`${this.#hasKitty ? KITTY_OFF : ''}${PASTE_OFF}${RESET_STYLE}${CURSOR_ON}`)
      if (this.#hasKitty) setKittyProtocolActive(false)
      this.#hasKitty = false
      stdin.pause()
      // A terminal that is gone answers with an error. At this point that is already known.
      stdin.setRawMode?.(false)
      stdin.off('error', onGone)
    }
  }

  /** Resets the modes. Has no effect the second time. */
  override stop(): void {
    const restore = this.#restore
    this.#restore = undefined
    restore?.()
  }

  #useKitty(): void {
    this.#hasKitty = true
    setKittyProtocolActive(true)
    process.stdout.write(KITTY_ON)
  }

  /**
   * The lines of the screen. After a change of size, everything from the entry that was at its top.
   */
  #keepScrollback(data: string): string {
    const [before = '', body = ''] = data.split(CLEAR_ALL)
    const lines = body.split('\r\n')
    const top = Math.max(lines.length - this.rows, 0)
    const { columns, rows, lines: drawn } = this.#drawn
    const isResized = columns !== 0 && (columns !== this.columns || rows !== this.rows)
    const from = isResized ? Math.min(top, this.#events.findLine(Math.max(drawn - rows, 0))) : top
    return `${before}${CLEAR_SCREEN}${lines.slice(from).join('\r\n')}`
  }
}

const KEEPING_MS = 60_000

/** Returns to the shell, until the user types `fg`. */
export function suspend(screen: TUI): void {
  screen.stop()
  // If there is no terminal to read, nothing else keeps the process alive.
  const keeping = setInterval(() => {}, KEEPING_MS)
  process.once('SIGCONT', () => {
    clearInterval(keeping)
    screen.start()
    screen.requestRender(true)
  })
  process.kill(0, 'SIGTSTP')
}
