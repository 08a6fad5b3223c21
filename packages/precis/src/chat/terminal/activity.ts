import { cutToWidth } from '../../terminal/terminal-text.ts'
import type { Palette } from './palette.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 120
const NARROW_COLUMNS = 60

/** Asked at every drawing where it changes with time. */
export type ActivityLabel = string | (() => string)

/** What runs, for how long, and how to end it. */
export function renderActivity(
  { label, startedAt }: { readonly label: ActivityLabel; readonly startedAt: number },
  queued: number,
  columns: number,
  { accent, quiet }: Palette,
): string[] {
  const elapsedMs = performance.now() - startedAt
  const frame = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length] ?? ''
  const waiting = queued === 0 ? '' : columns < NARROW_COLUMNS ? ` · +${queued}` : ` · ${queued} waiting`
  const rest = ` · ${Math.floor(elapsedMs / 1000)} s · Esc cancels${waiting}`
  const shown = cutToWidth(typeof label === 'string' ? label : label(), Math.max(columns - rest.length - 3, 8))
  return [`${accent(frame)} ${shown}${quiet(cutToWidth(rest, columns - 2 - shown.length))}`]
}

/** "34 s", "2 min 5 s", "1 h 2 min". */
export function renderWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
