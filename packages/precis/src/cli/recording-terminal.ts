import { redactSecrets } from '@precis/core/secrets'
import pc from 'picocolors'
import type { Terminal } from '../terminal/terminal.ts'
import { redactValue } from '../terminal/terminal-text.ts'
import { wrongUsage } from './failure.ts'

export interface Recorded {
  /** The object of `--json`. */
  printed: unknown
  readonly notes: string[]
}

const COLUMNS = 120

/** A terminal nobody sees: what a command prints with `--json` is for another program in the same process. */
export function createRecordingTerminal(onProgress: (step: string, fraction: number) => void): {
  readonly terminal: Terminal
  readonly recorded: Recorded
} {
  const recorded: Recorded = { printed: undefined, notes: [] }
  const terminal: Terminal = {
    colors: pc.createColors(false),
    columns: COLUMNS,
    print: (text) => void recorded.notes.push(redactSecrets(text)),
    printJson: (value) => {
      recorded.printed = redactValue(value)
    },
    printBytes: () => Promise.reject(wrongUsage('The result has no place of its own. Give a session of an agent.')),
    note: (text) => void recorded.notes.push(redactSecrets(text)),
    progress: { show: onProgress, clear: () => undefined },
  }
  return { terminal, recorded }
}
