import { cutToWidth } from '../../terminal/terminal-text.ts'
import type { Palette } from './palette.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 120
const NARROW_COLUMNS = 60

/** What runs, for how long, and how to end it. */
export function renderActivity(
  { label, startedAt }: { readonly label: string; readonly startedAt: number },
  queued: number,
  columns: number,
  { accent, quiet }: Palette,
): string[] {
  const elapsedMs = performance.now() - startedAt
  const frame = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length] ?? ''
  const waiting = queued === 0 ? '' : columns < NARROW_COLUMNS ? ` · +${queued}` : ` · ${queued} waiting`
  const rest = ` · ${Math.floor(elapsedMs / 1000)} s · Esc cancels${waiting}`
  const shown = cutToWidth(label, Math.max(columns - rest.length - 3, 8))
  return [`${accent(frame)} ${shown}${quiet(cutToWidth(rest, columns - 2 - shown.length))}`]
}
