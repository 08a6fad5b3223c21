import { join } from 'node:path'
import { Argument, type Command } from 'commander'
import { type AgentStatus, type EntryStatus, findAgentStatus } from '../agents/agent-status.ts'
import { applyPlan } from '../agents/apply-plan.ts'
import { integrations } from '../agents/index.ts'
import type { StartCommand } from '../agents/integration.ts'
import { planInstallation } from '../agents/plan-change.ts'
import { findStartCommand, isTemporary } from '../agents/start-command.ts'
import { forgetVariables } from '../configuration/read-configuration.ts'
import { findUserFolders } from '../configuration/user-folders.ts'
import type { Agent } from '../sessions/agent-home.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { renderTable } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { type AgentChange, printAgentChanges } from './agent-change.ts'
import { findAgentName, listAgentNames, parseAgentName } from './agent-name.ts'
import { addJsonOption } from './session-argument.ts'

export interface InstallFlags {
  readonly dryRun?: boolean
  readonly json?: boolean
}

export function defineInstall(command: Command, terminal: Terminal): void {
  addAgentsArgument(command, '[agents...]').description(
    'Gives an agent the tool that looks up what compressions removed, and keeps its sessions before it compacts them itself, where the agent has a place for it. Without an agent it lists what is where.',
  )
  addChangeOptions(command)
    .addHelpText('after', INSTALL_HELP)
    .action((agents: Agent[], flags: InstallFlags) => install(agents, flags, terminal))
}

export function addAgentsArgument(command: Command, name: string): Command {
  const argument = new Argument(name, `${listAgentNames().join(', ')}; one or several`)
  return command.addArgument(argument.argParser(collectAgents))
}

function collectAgents(text: string, before: readonly Agent[] = []): readonly Agent[] {
  return [...before, parseAgentName(text)]
}

export function addChangeOptions(command: Command): Command {
  return addJsonOption(command.option('-n, --dry-run', 'show every change, line by line, and make none'))
}

async function install(agents: readonly Agent[], flags: InstallFlags, terminal: Terminal): Promise<void> {
  const startCommand = findStartCommand()
  if (agents.length === 0) {
    listAgents(startCommand, flags.json === true, terminal)
    return
  }
  if (isTemporary(startCommand)) {
    terminal.note(
      `precis: this installation may be gone tomorrow (${neutralizeLine(startCommand.words[0] ?? '')}), and what is installed starts it. Install precis in a lasting place and run this there.`,
    )
  }
  const unseen = forgetVariables({ ...process.env })
  if (unseen.length > 0) {
    terminal.note(
      `precis: what an agent starts does not read ${unseen.join(', ')}, which a project could set. Set it in ${neutralizeLine(shortenHome(join(findUserFolders().config, 'config.json')))}.`,
    )
  }
  const places = { environment: process.env, command: startCommand }
  const changes: AgentChange[] = []
  // All are planned before any is changed.
  for (const agent of new Set(agents)) {
    const { listEntries, findTraces, note } = integrations[agent]
    const plan = planInstallation(agent, listEntries(places))
    const { isFound } = findAgentStatus(agent, startCommand)
    if (!isFound) {
      terminal.note(
        `precis: nothing shows that ${findAgentName(agent)} is used here: there is no ${findTraces(process.env).map(shortenHome).join(' and no ')}. Its files are made all the same.`,
      )
    }
    changes.push({ plan, ...(note !== undefined && { note }) })
  }
  if (!flags.dryRun) for (const { plan } of changes) await applyPlan(plan)
  printAgentChanges(changes, flags, terminal)
}

function listAgents(command: StartCommand, asJson: boolean, terminal: Terminal): void {
  const agents = Object.values(integrations).map(({ agent }) => findAgentStatus(agent, command))
  if (asJson) {
    terminal.printJson({ agents: agents.map(({ isFound, ...status }) => ({ ...status, found: isFound })) })
    return
  }
  const found = agents.filter(({ isFound }) => isFound)
  const missing = agents.filter(({ isFound }) => !isFound).map(({ agent }) => findAgentName(agent))
  for (const status of found) terminal.print(`${renderStatus(status, terminal)}\n`)
  if (missing.length > 0) terminal.print(`not found here: ${missing.join(', ')}`)
}

const STATES: Readonly<Record<EntryStatus['state'], string>> = {
  absent: 'not installed',
  installed: 'installed',
  outdated: 'of another installation of precis, or edited',
  foreign: 'another has its name',
  unreadable: 'cannot be read',
}

function renderStatus({ agent, entries }: AgentStatus, { colors, columns }: Terminal): string {
  const table = renderTable(
    {
      columns: [{ title: 'what' }, { title: 'state', style: colors.yellow }, { title: 'file', style: colors.dim }],
      rows: entries.map(({ what, path, state }) => [what, STATES[state], neutralizeLine(shortenHome(path))]),
    },
    columns,
    colors,
  )
  const isWhole = entries.every(({ state }) => state === 'installed')
  const advice = isWhole ? `precis uninstall ${agent}` : `precis install ${agent}`
  return `${colors.bold(findAgentName(agent))}  ${colors.dim(advice)}\n${table}`
}

const INSTALL_HELP = `
Examples:
  precis install                              which agents are here, and what is installed where
  precis install claude-code --dry-run        what would change, line by line
  precis install claude-code codex

Nothing of another is replaced; "precis uninstall" takes everything away again.
Exit codes: 0 done, 1 failed or another has the name, 2 wrong usage, 4 a file that cannot be read, 130 interrupted.
`
