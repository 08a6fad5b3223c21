import { matchesKey, TUI } from '@mariozechner/pi-tui'
import { fit } from './fit.ts'
import { createPicker, type ListChoice } from './picker.ts'
import type { Colors } from './render.ts'
import { createScreenTerminal } from './screen-terminal.ts'

// Of the panel: its frame, title, heading, detail and keys.
const FRAME_ROWS = 11
const MIN_SHOWN = 3
const MAX_SHOWN = 15
const LAST_DRAWING_MS = 1000

/**
 * Lets a person pick from a list, drawn below the cursor on standard error, and takes the list away again. Undefined
 * when nothing was picked: Esc, Ctrl+C, or a terminal that is gone. At every end the terminal is as it was.
 */
export async function pick(choice: ListChoice, colors: Colors): Promise<string | undefined> {
  const { stderr: output } = process
  const controller = new AbortController()
  let end: (value: string | undefined) => void = () => {}
  const picked = new Promise<string | undefined>((resolve) => {
    end = resolve
  })
  const terminal = createScreenTerminal({ output, onGone: () => end(undefined), findLine: () => 0 })
  const screen = new TUI(terminal, false)
  const styles = {
    colors,
    prompt: (text: string) => colors.bold(colors.green(text)),
    quiet: colors.dim,
    strong: colors.bold,
    accent: colors.cyan,
  }
  const countShown = () => Math.min(Math.max(terminal.rows - FRAME_ROWS, MIN_SHOWN), MAX_SHOWN)
  const picker = createPicker({ choice, styles, countShown, onEnd: (value) => end(value) })
  let onCleared: (() => void) | undefined
  screen.addChild({
    invalidate() {},
    render(columns) {
      const lines = onCleared ? [] : picker.render(columns).map((line) => fit(line, columns))
      terminal.expectLines(lines.length)
      if (onCleared) setImmediate(onCleared)
      return lines
    },
  })
  screen.setFocus(picker)
  screen.addInputListener((data) => {
    if (!matchesKey(data, 'ctrl+c') && !matchesKey(data, 'ctrl+d')) return undefined
    end(undefined)
    return { consume: true }
  })
  const restore = () => terminal.restore()
  process.on('exit', restore)
  try {
    screen.start()
    const change = (row: ListChoice['rows'][number]) => {
      picker.change(row)
      screen.requestRender()
    }
    // What completes the rows is a comfort: the list is there without it.
    choice.complete?.(change, controller.signal).catch(() => controller.abort())
    return await picked
  } finally {
    controller.abort()
    await new Promise<void>((resolve) => {
      onCleared = resolve
      screen.requestRender()
      // A terminal that is gone may never be drawn on.
      setTimeout(resolve, LAST_DRAWING_MS).unref()
    })
    screen.stop()
    restore()
    process.off('exit', restore)
  }
}
