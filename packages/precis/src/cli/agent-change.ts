/** What installing and uninstalling say about what they did, or would do. */
import { redactSecrets } from '@precis/core/secrets'
import type { ChangePlan, EntryOutcome, FileChange } from '../agents/plan-change.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine, neutralizeText } from '../terminal/terminal-text.ts'
import { renderUnifiedDiff } from '../terminal/unified-diff.ts'
import { findAgentName } from './agent-name.ts'
import { exitCodes } from './exit-codes.ts'

export interface AgentChange {
  readonly plan: ChangePlan
  readonly note?: string
}

const SIGNS: Readonly<Record<EntryOutcome['outcome'], string>> = {
  added: '+',
  replaced: '~',
  present: '=',
  removed: '-',
  absent: ' ',
  foreign: '!',
  kept: '!',
}

const REMARKS: Partial<Readonly<Record<EntryOutcome['outcome'], string>>> = {
  present: 'was there already',
  replaced: 'written anew',
  absent: 'was not there',
  foreign: 'left as it is: it was not made by precis',
  kept: 'left as it is: somebody edited it; delete it yourself',
}

export function printAgentChanges(
  changes: readonly AgentChange[],
  { dryRun, json }: { readonly dryRun?: boolean; readonly json?: boolean },
  terminal: Terminal,
): void {
  const isPartial = changes.some(({ plan }) => plan.outcomes.some(isLeft))
  if (json) terminal.printJson({ dryRun: dryRun === true, agents: changes.map(toJson) })
  else for (const change of changes) terminal.print(renderChange(change, dryRun === true, terminal))
  if (isPartial) process.exitCode = exitCodes.failed
}

function isLeft({ outcome }: EntryOutcome): boolean {
  return outcome === 'foreign' || outcome === 'kept'
}

function toJson({ plan, note }: AgentChange) {
  return {
    agent: plan.agent,
    entries: plan.outcomes.map(({ entry, outcome }) => ({ what: entry.what, path: entry.path, outcome })),
    files: plan.changes.map((change) => ({ path: change.path, diff: renderDiff(change) })),
    ...(note !== undefined && { note }),
  }
}

function renderChange({ plan, note }: AgentChange, isDry: boolean, { colors }: Terminal): string {
  const lines = [colors.bold(findAgentName(plan.agent))]
  for (const { entry, outcome } of plan.outcomes) {
    const remark = REMARKS[outcome]
    const place = neutralizeLine(shortenHome(entry.path))
    lines.push(`  ${SIGNS[outcome]} ${entry.what}  ${colors.dim(place)}${remark === undefined ? '' : `  (${remark})`}`)
  }
  const isChanged = plan.changes.length > 0
  if (isDry) lines.push(...plan.changes.map((change) => `\n${colorDiff(renderDiff(change), colors)}`))
  if (isDry) lines.push(isChanged ? '\nNothing was changed yet.' : 'Nothing would change.')
  else if (!isChanged) lines.push('  nothing had to be changed')
  if (note !== undefined && plan.outcomes.some(({ outcome }) => outcome === 'added')) lines.push(`  ${note}`)
  return lines.join('\n')
}

/** Lines that only stand beside a change may hold keys, and what is shown is often passed on. */
function renderDiff({ path, before, after }: FileChange): string {
  const lines = renderUnifiedDiff(shortenHome(path), before, after).split('\n')
  return neutralizeText(lines.map((line) => (line.startsWith(' ') ? redactSecrets(line) : line)).join('\n'))
}

function colorDiff(diff: string, colors: Terminal['colors']): string {
  const colored = diff.split('\n').map((line) => {
    if (line.startsWith('+')) return colors.green(line)
    if (line.startsWith('-')) return colors.red(line)
    return line.startsWith('@') ? colors.cyan(line) : line
  })
  return colored.join('\n')
}
