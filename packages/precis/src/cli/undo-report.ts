import type { ConversionLoss } from '@precis/core/formats'
import type { Damage } from '../sessions/load-session.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { type Colors, renderBytes, renderPlural } from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import type { OriginalState } from './find-original.ts'
import { renderLosses } from './render-losses.ts'

/** `original`: it goes on itself. `put-back`: its file was gone. `joined`: a new session, with what was added. */
export type UndoAction = 'original' | 'put-back' | 'joined'

export interface UndoReport {
  /** Name of the archive's entry. */
  readonly entry: string
  readonly action: UndoAction
  readonly isDryRun: boolean
  readonly state: OriginalState
  /** Of the compressed session; undefined when it is gone. */
  readonly input: string | undefined
  /** Of the session to go on with; undefined for standard output. */
  readonly output: string | undefined
  readonly format: string
  readonly agentName: string | undefined
  readonly originalMessages: number
  readonly addedMessages: number
  /** Whether what was added is there record by record. */
  readonly keepsRecords: boolean
  readonly bytes: number
  readonly losses: readonly ConversionLoss[]
  readonly resumeCommand: string | undefined
  /** Whether the compressed session was removed; why not, when it was asked for. */
  readonly removed: boolean
  readonly notRemoved: string | undefined
  /** The entry of the archive that keeps the removed session, where it had records that the new session has not. */
  readonly keptAs?: string
  /** Of the compressed session, where there is any. */
  readonly damage?: Damage
  readonly originalDamage?: Damage
}

export function toUndoJson({ agentName: _agentName, isDryRun: _isDryRun, ...undone }: UndoReport): object {
  const { input, output, resumeCommand, notRemoved, ...rest } = undone
  return {
    ...rest,
    input: input ?? null,
    output: output ?? null,
    ...(resumeCommand !== undefined && { resumeCommand }),
    ...(notRemoved !== undefined && { notRemoved }),
  }
}

export function renderUndo(undone: UndoReport, colors: Colors): string {
  const { action, agentName, addedMessages, keepsRecords, losses, resumeCommand, removed, notRemoved, keptAs } = undone
  const how = keepsRecords ? 'record by record' : 'its messages written anew'
  const lines = [renderAction(undone)]
  if (action === 'joined') lines.push(`  added since: ${renderPlural(addedMessages, 'message')}, ${how}`)
  lines.push(...renderLosses(losses, agentName ?? 'the original').map((line) => `  ${line}`))
  if (removed) lines.push(`Removed the compressed session ${showPath(undone.input)}`)
  if (keptAs !== undefined) {
    lines.push(`  its title and the like are in no other session: kept in the archive; precis restore ${keptAs}`)
  }
  if (notRemoved !== undefined) lines.push(`The compressed session was not removed: ${notRemoved}`)
  if (resumeCommand !== undefined) {
    lines.push('', `Go on working in ${agentName ?? 'its agent'}:`, `  ${colors.bold(resumeCommand)}`)
  }
  return lines.join('\n')
}

function renderAction({ action, state, isDryRun, input, output, bytes, originalMessages }: UndoReport): string {
  const why = input === undefined ? 'The compressed session is gone.' : 'Nothing was added since the compression.'
  const [wrote, put] = isDryRun ? ['Would write', 'would be put back'] : ['Wrote', 'was put back']
  switch (action) {
    case 'original': {
      const grown = state === 'longer' ? ', and went on by itself' : ''
      return `${why} The original is still there${grown}: ${showPath(output)}`
    }
    case 'put-back': {
      const where = output === undefined ? '' : `: ${showPath(output)}`
      const what = state === 'gone' ? `its file was gone and ${put}` : `it ${put}`
      return `${why} The original, ${renderBytes(bytes)}: ${what}${where}`
    }
    case 'joined': {
      const where = isDryRun ? 'a new session' : output === undefined ? 'to standard output' : showPath(output)
      return `${wrote} ${where}: the original's ${renderPlural(originalMessages, 'message')}, and what was added`
    }
  }
}

function showPath(path: string | undefined): string {
  return path === undefined ? '' : neutralizeLine(shortenHome(path))
}
