/** What undo did, in words for people and as JSON. */
import type { RestoredWords } from '../compression/put-back-words.ts'
import type { UndoneSession } from '../compression/undo-session.ts'
import type { Damage } from '../sessions/load-session.ts'
import {
  type Colors,
  renderBytes,
  renderCount,
  renderPath,
  renderPlural,
} from '../terminal/render.ts'
import { renderConversionLosses } from './losses.ts'

export interface UndoReport extends UndoneSession {
  readonly originalDamage?: Damage
}

/** The object of `undo --json`. */
export function toUndoJson({
  agentName: _agentName,
  isDryRun: _isDryRun,
  ...undone
}: UndoReport): object {
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
  const { action, agentName, addedMessages, keepsRecords, losses, removed, notRemoved, keptAs } =
    undone
  const how = keepsRecords ? 'record by record' : 'its messages as new ones'
  const lines = [renderAction(undone)]
  if (action === 'joined')
    lines.push(`  added since: ${renderPlural(addedMessages, 'message')}, ${how}`)
  lines.push(
    ...renderConversionLosses(losses, agentName ?? 'the original').map((line) => `  ${line}`),
  )
  if (removed) lines.push(`Removed the compressed session ${renderPath(undone.input ?? '')}`)
  if (keptAs !== undefined) {
    lines.push(`  kept its title and similar records in the archive: precis restore ${keptAs}`)
  }
  if (notRemoved !== undefined) lines.push(`The compressed session was not removed: ${notRemoved}`)
  lines.push(...renderContinue(undone, colors))
  return lines.join('\n')
}

function renderAction({
  action,
  state,
  isDryRun,
  input,
  output,
  bytes,
  originalMessages,
}: UndoReport): string {
  const why =
    input === undefined
      ? 'The compressed session is gone.'
      : 'Nothing was added since the compression.'
  const wrote = isDryRun ? 'Would write' : 'Wrote'
  switch (action) {
    case 'original': {
      const grown = state === 'longer' ? ', and was continued' : ''
      return `${why} The original is still there${grown}: ${renderPath(output ?? '')}`
    }
    case 'put-back': {
      const where = output === undefined ? 'to standard output' : renderPath(output)
      const missing = state === 'gone' ? ', whose file was missing' : ''
      return `${why} ${wrote} the original (${renderBytes(bytes)})${missing}: ${where}`
    }
    case 'joined': {
      const where = isDryRun
        ? 'a new session'
        : output === undefined
          ? 'to standard output'
          : renderPath(output)
      return `${wrote} ${where}: the original's ${renderPlural(originalMessages, 'message')}, and what was added`
    }
  }
}

/** A copy with the words that an agent lost. */
export function renderRestored(restored: RestoredWords, colors: Colors): string {
  const { words, putBack, facts, isDryRun, output } = restored
  const wrote = isDryRun
    ? 'Would write a copy'
    : `Wrote a copy${output === undefined ? '' : `: ${renderPath(output)}`}`
  return [
    wrote,
    `  your words: ${renderCount(putBack)} of ${renderCount(words.gone)} lost messages are in it again, and ${renderPlural(facts, 'fact')}, as its last message`,
    ...renderContinue(restored, colors),
  ].join('\n')
}

function renderContinue(
  { agentName, resumeCommand }: Pick<UndoReport, 'agentName' | 'resumeCommand'>,
  { bold }: Colors,
): string[] {
  if (resumeCommand === undefined) return []
  return ['', `Continue in ${agentName ?? 'its agent'}:`, `  ${bold(resumeCommand)}`]
}
