/**
 * The terminal as the screen library wants it: keys from standard input, drawn on standard output or error. It gives back what it took at any end of
 * the process that code can see, and never clears what is scrolled away: that belongs to the person's shell.
 */
import { StdinBuffer, setKittyProtocolActive, type Terminal } from '@mariozechner/pi-tui'

const PASTE_ON = '\u001b[?2004h'
const PASTE_OFF = '\u001b[?2004l'
const CURSOR_OFF = '\u001b[?25l'
const CURSOR_ON = '\u001b[?25h'
const RESET_STYLE = '\u001b[0m'
// Asks whether the terminal tells Shift+Enter from Enter; one that does answers with its flags.
const KITTY_QUERY = '\u001b[?u'
const KITTY_ON = '\u001b[>1u'
const KITTY_OFF = '\u001b[<u'
const KITTY_ANSWER = '\u001b[?'
const WATCH_MS = 500
const CLEAR_ALL = '\u001b[2J\u001b[H\u001b[3J'
const CLEAR_SCREEN = '\u001b[H\u001b[2J'

export interface ScreenTerminalEvents {
  /** Where it is drawn. */
  readonly output: NodeJS.WriteStream
  /** The terminal is gone: a closed window, a parent that was killed. */
  readonly onGone: () => void
  /** First line to draw again after the size changed, given the one that stood at the top before. */
  readonly findLine: (lineBefore: number) => number
}

export interface ScreenTerminal extends Terminal {
  /** Tells how many lines the next writing draws. */
  expectLines(count: number): void
  /** Takes back modes; does nothing the second time. */
  restore(): void
}

export function createScreenTerminal({ output, onGone, findLine }: ScreenTerminalEvents): ScreenTerminal {
  const { stdin } = process
  const parent = process.ppid
  let keys: StdinBuffer | undefined
  let watch: NodeJS.Timeout | undefined
  let hasKitty = false
  let resized: (() => void) | undefined
  let drawn = { columns: 0, rows: 0, lines: 0 }
  let expectedLines = 0

  const receive = (data: string) => keys?.process(data)
  const columns = () => output.columns || 80
  const rows = () => output.rows || 24
  const write = (data: string) => {
    output.write(data.includes(CLEAR_ALL) ? keepScrollback(data) : data)
    drawn = { columns: columns(), rows: rows(), lines: expectedLines }
  }
  const moveTo = (sequence: string) => void output.write(sequence)

  /** The lines that belong on the screen, and after a change of the size all from the entry that stood at its top. */
  const keepScrollback = (data: string): string => {
    const [before = '', body = ''] = data.split(CLEAR_ALL)
    const lines = body.split('\r\n')
    const top = Math.max(lines.length - rows(), 0)
    const isResized = drawn.columns !== 0 && (drawn.columns !== columns() || drawn.rows !== rows())
    const from = isResized ? Math.min(top, findLine(Math.max(drawn.lines - drawn.rows, 0))) : top
    return `${before}${CLEAR_SCREEN}${lines.slice(from).join('\r\n')}`
  }

  const restore = () => {
    if (!keys) return
    keys.destroy()
    keys = undefined
    stdin.off('data', receive)
    stdin.off('end', onGone)
    clearInterval(watch)
    if (resized) output.off('resize', resized)
    output.write(`${hasKitty ? KITTY_OFF : ''}${PASTE_OFF}${RESET_STYLE}${CURSOR_ON}`)
    if (hasKitty) setKittyProtocolActive(false)
    hasKitty = false
    stdin.pause()
    // A terminal that is gone answers with an error; that it is gone is known by then.
    stdin.setRawMode?.(false)
    stdin.off('error', onGone)
  }

  const start = (onInput: (data: string) => void, onResize: () => void) => {
    keys = new StdinBuffer({ timeout: 10 })
    keys.on('data', (sequence) => {
      if (!sequence.startsWith(KITTY_ANSWER) || !sequence.endsWith('u')) onInput(sequence)
      else if (!hasKitty) {
        hasKitty = true
        setKittyProtocolActive(true)
        output.write(KITTY_ON)
      }
    })
    keys.on('paste', (text) => onInput(`\u001b[200~${text}\u001b[201~`))
    stdin.setRawMode?.(true)
    stdin.setEncoding('utf8')
    stdin.on('data', receive)
    stdin.on('end', onGone)
    stdin.on('error', onGone)
    stdin.resume()
    // Who started precis and is killed leaves it behind on a terminal that others read, too.
    watch = setInterval(() => {
      if (process.ppid !== parent) onGone()
    }, WATCH_MS)
    watch.unref()
    resized = onResize
    output.on('resize', onResize)
    output.write(PASTE_ON + KITTY_QUERY)
  }

  return {
    start,
    stop: restore,
    restore,
    write,
    expectLines: (count) => {
      expectedLines = count
    },
    drainInput: async () => {},
    get columns() {
      return columns()
    },
    get rows() {
      return rows()
    },
    get kittyProtocolActive() {
      return hasKitty
    },
    moveBy: (lines) => moveTo(lines === 0 ? '' : lines > 0 ? `\u001b[${lines}B` : `\u001b[${-lines}A`),
    hideCursor: () => moveTo(CURSOR_OFF),
    showCursor: () => moveTo(CURSOR_ON),
    clearLine: () => moveTo('\u001b[K'),
    clearFromCursor: () => moveTo('\u001b[J'),
    clearScreen: () => moveTo(CLEAR_SCREEN),
    setTitle: () => {},
    setProgress: () => {},
  }
}
