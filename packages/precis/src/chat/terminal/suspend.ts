import type { TUI } from '@mariozechner/pi-tui'

const KEEPING_MS = 60_000

/** To the shell, and back with its `fg`. */
export function suspend(screen: TUI): void {
  screen.stop()
  // Without a terminal to read nothing else keeps the process.
  const keeping = setInterval(() => {}, KEEPING_MS)
  process.once('SIGCONT', () => {
    clearInterval(keeping)
    screen.start()
    screen.requestRender(true)
  })
  process.kill(0, 'SIGTSTP')
}
