/** What is installed in an agent, and what a change of its files does, line by line. */
import { redactSecrets } from '@precis/core/secrets'
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { findBestWay, renderPluginWay } from '../agents/shared/best-way.ts'
import { hideToken } from '../agents/shared/wire.ts'
import { shortenHome } from '../files/user-folders.ts'
import {
  type AgentStatus,
  type EntryStatus,
  isBrought,
  isInstalled,
} from '../installation/find-entry.ts'
import type { ChangePlan, EntryOutcome, FileRewrite } from '../installation/plan-change.ts'
import { neutralizeText, renderPath, renderTable, wrapText } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'

const STATES: Readonly<Record<EntryStatus['state'], string>> = {
  absent: 'not installed',
  brought: 'the plugin of precis adds it',
  installed: 'installed',
  outdated: 'by another installation of precis, or edited',
  foreign: 'something else has its name',
  unreadable: 'cannot be read',
}

/** Ends with the best way for this agent. */
export function renderAgentStatus(status: AgentStatus, terminal: Terminal): string {
  const { agent, entries } = status
  const { colors } = terminal
  const table = renderTable(
    [
      { title: 'what', shrinkTo: 20 },
      { title: 'state', style: colors.yellow },
      { title: 'file', style: colors.dim, shrinkTo: 20, keepsEnd: true },
    ],
    entries.map(({ what, path, state }) => [what, STATES[state], renderPath(path)]),
    terminal,
  )
  const isWhole = entries.every(({ state }) => state === 'installed' || state === 'brought')
  const advice = isWhole ? 'precis uninstall' : isInstalled(status) ? 'precis install' : undefined
  const title = colors.bold(agent.title)
  const isBegun =
    isWhole &&
    (!agent.installation?.bestWay.isOnlyByPlugin ||
      entries.some(({ state }) => state === 'brought'))
  const way = isBegun ? undefined : findBestWay(agent)
  return [
    advice === undefined ? title : `${title}  ${colors.dim(`${advice} ${agent.name}`)}`,
    table,
    ...(way
      ? [
          '  To use precis in it, run:',
          ...way.commands.map((command) => `    ${colors.bold(command)}`),
          wrapText(way.effect, terminal.columns, '  '),
        ]
      : []),
  ].join('\n')
}

/** A change of an agent's files that was made or is planned. */
export interface AgentChange {
  readonly plan: ChangePlan
  readonly note?: string
}

const OUTCOMES: Readonly<Record<EntryOutcome['outcome'], readonly [sign: string, remark: string]>> =
  {
    added: ['+', ''],
    replaced: ['~', 'written anew'],
    present: ['=', 'was there already'],
    removed: ['-', ''],
    absent: [' ', 'was not there'],
    foreign: ['!', 'unchanged: precis did not make it'],
    brought: [' ', 'the plugin of precis adds it'],
    kept: ['!', 'unchanged: it was edited, so delete it yourself'],
  }

/** Whether a part of the agent is not as requested. */
export function isPartial({ plan }: AgentChange): boolean {
  return plan.outcomes.some(isLeft)
}

function isLeft({ entry, outcome }: EntryOutcome): boolean {
  return outcome === 'kept' || (outcome === 'foreign' && entry.whenTaken === undefined)
}

export function toChangeJson({ plan, note }: AgentChange) {
  return {
    agent: plan.agent.name,
    entries: plan.outcomes.map(({ entry, outcome }) => ({
      what: entry.what,
      path: entry.path,
      outcome,
    })),
    files: plan.changes.map((change) => ({ path: change.path, diff: renderDiff(change) })),
    ...(note !== undefined && { note }),
  }
}

export function renderAgentChange(
  { plan, note }: AgentChange,
  isDry: boolean,
  { colors }: Terminal,
): string {
  const lines = [colors.bold(plan.agent.title)]
  for (const { entry, outcome } of plan.outcomes) {
    const [sign, usual] = OUTCOMES[outcome]
    const remark = (outcome === 'foreign' && entry.whenTaken) || usual
    lines.push(
      `  ${sign} ${entry.what}  ${colors.dim(renderPath(entry.path))}${remark && `  (${remark})`}`,
    )
  }
  const isChanged = plan.changes.length > 0
  if (isDry)
    lines.push(...plan.changes.map((change) => `\n${colorDiff(renderDiff(change), colors)}`))
  if (isDry) lines.push(isChanged ? '\nNothing was changed yet.' : 'Nothing would change.')
  else if (!isChanged) lines.push('  nothing had to be changed')
  if (note !== undefined && plan.outcomes.some(({ outcome }) => outcome === 'added'))
    lines.push(`  ${note}`)
  const isThere = plan.outcomes.some(({ outcome }) => outcome === 'added' || outcome === 'present')
  const hasPlugin = plan.outcomes.some(({ entry }) => isBrought(entry))
  const plugin = isThere && !hasPlugin ? renderPluginWay(plan.agent) : undefined
  if (plugin !== undefined) lines.push('', plugin)
  return lines.join('\n')
}

/** Any line may contain keys of the user, and users often pass on what is shown. */
function renderDiff({ path, before, after }: FileRewrite): string {
  const lines = renderUnifiedDiff(shortenHome(path), before, after).split('\n')
  return neutralizeText(hideToken(lines.map(redactSecrets).join('\n')))
}

const CONTEXT_LINES = 3

/**
 * A change of a file in the form of `diff -u`: `/dev/null` for a missing file. Empty if nothing
 * changes.
 */
export function renderUnifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === after) return ''
  const patch = structuredPatch(path, path, before ?? '', after ?? '', '', '', {
    context: CONTEXT_LINES,
  })
  // The library would quote paths, so they are inserted here.
  const [old, now] = [before, after].map((text) => (text === undefined ? '/dev/null' : path))
  return `--- ${old}\n+++ ${now}\n${formatPatch(patch, OMIT_HEADERS).replace(/\n$/, '')}`
}

function colorDiff(diff: string, colors: Terminal['colors']): string {
  const colored = diff.split('\n').map((line) => {
    if (line.startsWith('+')) return colors.green(line)
    if (line.startsWith('-')) return colors.red(line)
    return line.startsWith('@') ? colors.cyan(line) : line
  })
  return colored.join('\n')
}
