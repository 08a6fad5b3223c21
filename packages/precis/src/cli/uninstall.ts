import type { Command } from 'commander'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { applyPlan } from '../installation/apply-plan.ts'
import { listOwnGatewayEntries } from '../installation/gateway-entries.ts'
import { planRemoval } from '../installation/plan-change.ts'
import type { AgentChange } from '../reports/agent-change.ts'
import type { Terminal } from '../terminal/terminal.ts'
import {
  addAgentsArgument,
  addChangeOptions,
  type InstallFlags,
  printAgentChanges,
} from './install.ts'

export function defineUninstall(command: Command, terminal: Terminal): void {
  addAgentsArgument(command, '[agents...]').description(
    'Removes everything that "precis install" added to an agent, or to all agents if none is named, including --gateway. A file that was not changed since is restored byte for byte. Anything that was edited stays, and so does the archive.',
  )
  addChangeOptions(command)
    .addHelpText('after', UNINSTALL_HELP)
    .action((named: Agent[], flags: InstallFlags) => uninstall(named, flags, terminal))
}

async function uninstall(
  named: readonly Agent[],
  flags: InstallFlags,
  terminal: Terminal,
): Promise<void> {
  const places = { environment: process.env, command: findStartCommand() }
  const all = [...new Set(named.length > 0 ? named : agents)].map((agent) => ({
    plan: planRemoval(agent, [
      ...(agent.installation?.listEntries(places) ?? []),
      ...listOwnGatewayEntries(agent, process.env),
    ]),
  }))
  const changes = named.length > 0 ? all : all.filter(hasEntries)
  if (changes.length === 0 && !flags.json) terminal.note('precis: no agent has entries of precis.')
  if (!flags.dryRun) for (const { plan } of changes) await applyPlan(plan)
  printAgentChanges(changes, flags, terminal)
}

const hasEntries = ({ plan }: AgentChange) =>
  plan.outcomes.some(({ outcome }) => outcome === 'removed' || outcome === 'kept')

const UNINSTALL_HELP = `
Examples:
  precis uninstall                            from every agent
  precis uninstall claude-code --dry-run      what would change, line by line
  precis uninstall claude-code codex

Exit codes: 0 done or nothing to do, 1 failed or an edited file stays, 2 wrong usage, 4 a file that cannot be read, 130 interrupted.
`
