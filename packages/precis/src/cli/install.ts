import { join } from 'node:path'
import { Argument, type Command, Option } from 'commander'
import { agents as allAgents } from '../agents/index.ts'
import type { Agent, StartCommand } from '../agents/shared/agent.ts'
import { hideToken } from '../agents/shared/wire.ts'
import { forgetVariables } from '../configuration/read-configuration.ts'
import { findStartCommand, runsFromCache } from '../files/installed-files.ts'
import { findUserFolders, shortenHome } from '../files/user-folders.ts'
import { askGateway } from '../gateway/open-gateway.ts'
import { applyPlan } from '../installation/apply-plan.ts'
import { findAgentStatus } from '../installation/find-entry.ts'
import { listOwnGatewayEntries } from '../installation/gateway-entries.ts'
import { planInstallation } from '../installation/plan-change.ts'
import {
  type AgentChange,
  isPartial,
  renderAgentChange,
  renderAgentStatus,
  toChangeJson,
} from '../reports/agent-change.ts'
import { neutralizeLine, renderPath } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, wrongUsage } from './failure.ts'
import { collectAgents, listAgentNames } from './options.ts'
import {
  DEFAULT_GATEWAY,
  keepGateway,
  listGateway,
  parseGatewayUrl,
  readAddress,
} from './plan-gateway.ts'
import { addJsonOption } from './session-argument.ts'

export interface InstallFlags {
  readonly dryRun?: boolean
  readonly json?: boolean
}

interface GatewayInstallFlags extends InstallFlags {
  readonly gateway?: boolean
  readonly url?: string
}

export function defineInstall(command: Command, terminal: Terminal): void {
  addAgentsArgument(command, '[agents...]').description(
    'Adds the tool that searches removed text to an agent. If the agent supports hooks, its sessions are kept before it compacts them itself. With no agent named, it lists what is installed.',
  )
  addChangeOptions(command)
    .option(
      '--gateway',
      'also make the agent use a running gateway ("precis serve") at every start',
    )
    .addOption(
      new Option('--url <address>', 'the address of the gateway')
        .argParser(parseGatewayUrl)
        .default(undefined, DEFAULT_GATEWAY),
    )
    .addHelpText('after', INSTALL_HELP)
    .action((agents: Agent[], flags: GatewayInstallFlags) => install(agents, flags, terminal))
}

export function addAgentsArgument(command: Command, name: string): Command {
  const argument = new Argument(name, `${listAgentNames().join(', ')} (one or several)`)
  return command.addArgument(argument.argParser(collectAgents))
}

export function addChangeOptions(command: Command): Command {
  return addJsonOption(command.option('-n, --dry-run', 'only show every change, line by line'))
}

async function install(
  agents: readonly Agent[],
  flags: GatewayInstallFlags,
  terminal: Terminal,
): Promise<void> {
  const startCommand = findStartCommand()
  if (agents.length === 0) {
    listAgents(startCommand, flags.json === true, terminal)
    return
  }
  for (const { title, installation } of agents) {
    if (!installation)
      throw wrongUsage(`Installing precis into ${title}: it supports neither tools nor hooks.`)
  }
  if (runsFromCache(startCommand)) {
    terminal.note(
      `precis: this precis runs from a temporary folder (${neutralizeLine(startCommand.words[0] ?? '')}), and the entries will start it from there. Install precis permanently and run this again.`,
    )
  }
  const unseen = forgetVariables({ ...process.env })
  if (unseen.length > 0) {
    terminal.note(
      `precis: when an agent starts precis, it ignores ${unseen.join(', ')}, because a project could set it. Set it in ${renderPath(join(findUserFolders().config, 'config.json'))}.`,
    )
  }
  const places = { environment: process.env, command: startCommand }
  const changes: AgentChange[] = []
  // All changes are planned before any is made.
  for (const agent of new Set(agents)) {
    const { title, installation } = agent
    if (!installation) continue
    const address = flags.gateway ? await readAddress(agent, flags.url) : undefined
    const gateway = address ? listGateway(agent, address) : keepGateway(agent)
    if (address && (await askGateway(`${address.url}/readyz`))?.body.name !== 'precis') {
      terminal.note(
        `precis: no gateway runs on ${hideToken(address.url)} yet, and ${title} reaches its provider only through it. Start "precis serve" now and at every start of this machine.`,
      )
    }
    const plan = planInstallation(
      agent,
      [...installation.listEntries(places), ...gateway.entries],
      gateway.record,
    )
    const { isFound } = findAgentStatus(agent, startCommand)
    if (!isFound) {
      terminal.note(
        `precis: ${title} does not seem to be used here: there is no ${installation.findTraces(process.env).map(shortenHome).join(' and no ')}. Its files are created anyway.`,
      )
    }
    changes.push({ plan, note: installation.note })
  }
  if (!flags.dryRun) for (const { plan } of changes) await applyPlan(plan)
  printAgentChanges(changes, flags, terminal)
}

function listAgents(command: StartCommand, asJson: boolean, terminal: Terminal): void {
  const hosts = allAgents.filter(({ installation }) => installation !== undefined)
  const statuses = hosts.map((agent) =>
    findAgentStatus(agent, command, listOwnGatewayEntries(agent, process.env)),
  )
  if (asJson) {
    const agents = statuses.map(({ agent, isFound, entries }) => ({
      agent: agent.name,
      entries,
      found: isFound,
      bestWay: agent.installation?.bestWay,
    }))
    terminal.printJson({ agents })
    return
  }
  const missing = statuses.flatMap(({ agent, isFound }) => (isFound ? [] : [agent.title]))
  for (const status of statuses) {
    if (status.isFound) terminal.print(`${renderAgentStatus(status, terminal)}\n`)
  }
  if (missing.length > 0) terminal.print(`not found here: ${missing.join(', ')}`)
}

const INSTALL_HELP = `
Examples:
  precis install                              the best way for each agent here, and what is installed
  precis install claude-code --dry-run        what would change, line by line
  precis install claude-code codex
  precis install --gateway claude-code        also send its requests through "precis serve"

precis replaces no entry of others, and "precis uninstall" removes everything again.

Exit codes: 0 done, 1 failed or another entry has the name, 2 wrong usage, 4 a file that cannot be read, 130 interrupted.
`

export function printAgentChanges(
  changes: readonly AgentChange[],
  { dryRun, json }: { readonly dryRun?: boolean; readonly json?: boolean },
  terminal: Terminal,
): void {
  if (json) terminal.printJson({ dryRun: dryRun === true, agents: changes.map(toChangeJson) })
  else
    for (const change of changes)
      terminal.print(renderAgentChange(change, dryRun === true, terminal))
  if (changes.some(isPartial)) process.exitCode = exitCodes.failed
}
