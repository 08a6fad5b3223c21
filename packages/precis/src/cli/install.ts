import { join } from 'node:path'
import { redactSecrets } from '@precis/core/secrets'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { agents as allAgents } from '../agents/index.ts'
import type { Agent, SettingsEntry, StartCommand } from '../agents/shared/agent.ts'
import type { GatewayAddress } from '../agents/shared/wire.ts'
import { forgetVariables } from '../configuration/read-configuration.ts'
import { findStartCommand, isTemporary } from '../files/installed-files.ts'
import { findUserFolders, shortenHome } from '../files/user-folders.ts'
import { hideToken } from '../gateway/check-gateway.ts'
import { DEFAULT_PORT } from '../gateway/gateway-options.ts'
import { ask } from '../gateway/open-gateway.ts'
import { defaultUpstreams, isVendor, upstreamNames } from '../gateway/upstreams.ts'
import { type AgentStatus, type EntryStatus, findAgentStatus } from '../installation/find-entry.ts'
import {
  findInstalledGateway,
  listNewGatewayEntries,
  listOwnGatewayEntries,
} from '../installation/gateway-entries.ts'
import type { InstalledGateway } from '../installation/installation-records.ts'
import {
  applyPlan,
  type ChangePlan,
  type EntryOutcome,
  type FileChange,
  planInstallation,
} from '../installation/plan-change.ts'
import { neutralizeLine, neutralizeText, renderPath, renderTable } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, wrongUsage } from './failure.ts'
import { collectAgents, listAgentNames } from './options.ts'
import { readConfigured } from './read-configured.ts'
import { addJsonOption } from './session-argument.ts'

export interface InstallFlags {
  readonly dryRun?: boolean
  readonly json?: boolean
}

interface GatewayFlags extends InstallFlags {
  readonly gateway?: boolean
  readonly url?: string
}

export function defineInstall(command: Command, terminal: Terminal): void {
  addAgentsArgument(command, '[agents...]').description(
    'Gives an agent the tool that looks up what compressions removed, and keeps its sessions before it compacts them itself, where the agent has a place for it. Without an agent it lists what is where.',
  )
  addChangeOptions(command)
    .option(
      '--gateway',
      'also point the agent at a gateway that runs ("precis serve"), for every start',
    )
    .addOption(
      new Option('--url <address>', 'the address of the gateway')
        .argParser(parseGatewayUrl)
        .default(undefined, DEFAULT_GATEWAY),
    )
    .addHelpText('after', INSTALL_HELP)
    .action((agents: Agent[], flags: GatewayFlags) => install(agents, flags, terminal))
}

export function addAgentsArgument(command: Command, name: string): Command {
  const argument = new Argument(name, `${listAgentNames().join(', ')}; one or several`)
  return command.addArgument(argument.argParser(collectAgents))
}

export function addChangeOptions(command: Command): Command {
  return addJsonOption(
    command.option('-n, --dry-run', 'show every change, line by line, and make none'),
  )
}

async function install(
  agents: readonly Agent[],
  flags: GatewayFlags,
  terminal: Terminal,
): Promise<void> {
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
      `precis: what an agent starts does not read ${unseen.join(', ')}, which a project could set. Set it in ${renderPath(join(findUserFolders().config, 'config.json'))}.`,
    )
  }
  const places = { environment: process.env, command: startCommand }
  const changes: AgentChange[] = []
  // All are planned before any is changed.
  for (const agent of new Set(agents)) {
    const { title, installation } = agent
    if (!installation)
      throw wrongUsage(`Installing precis into ${title}: it has no place for a tool or a hook.`)
    const address = flags.gateway ? await readAddress(agent, flags) : undefined
    const gateway = address ? listGateway(agent, address) : keepGateway(agent)
    if (address && (await ask(`${address.url}/readyz`))?.body.name !== 'precis') {
      terminal.note(
        `precis: nothing serves on ${hideToken(address.url)} yet, and ${title} reaches its provider only through it. Start "precis serve" first, and with every start of this machine.`,
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
        `precis: nothing shows that ${title} is used here: there is no ${installation.findTraces(process.env).map(shortenHome).join(' and no ')}. Its files are made all the same.`,
      )
    }
    changes.push({ plan, note: installation.note })
  }
  if (!flags.dryRun) for (const { plan } of changes) await applyPlan(plan)
  printAgentChanges(changes, flags, terminal)
}

const DEFAULT_GATEWAY = `http://127.0.0.1:${DEFAULT_PORT}`

function parseGatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (!isAddress) throw new InvalidArgumentError(`Give an address as ${DEFAULT_GATEWAY}.`)
  return text.replace(/\/+$/, '')
}

/** What points an agent at a gateway, and what the records are to say of it. */
interface GatewayPlan {
  readonly entries: readonly SettingsEntry[]
  readonly record: InstalledGateway | undefined
}

/** As the configuration of "precis serve" has it, where the user names none. */
async function readAddress({ wire }: Agent, { url }: GatewayFlags): Promise<GatewayAddress> {
  const { gateway } = await readConfigured()
  const upstream = upstreamNames.find((name) => name === wire?.launch.upstream)
  const base = upstream && (gateway?.upstreams?.[upstream] ?? defaultUpstreams[upstream])
  const token = process.env.PRECIS_TOKEN
  const own = `http://127.0.0.1:${gateway?.port ?? DEFAULT_PORT}${token ? `/t/${token}` : ''}`
  return {
    url: url ?? own,
    isVendor: upstream !== undefined && base !== undefined && isVendor(upstream, base),
  }
}

function listGateway(agent: Agent, address: GatewayAddress): GatewayPlan {
  const { url } = address
  const { name, title, wire } = agent
  const doing = `Pointing ${title} at a gateway:`
  if (!wire)
    throw wrongUsage(
      `${doing} a gateway can do nothing for it that it does not do for every client.`,
    )
  if (!wire.listGatewayEntries) {
    throw wrongUsage(
      `${doing} its files have no place for an address. Start it with "precis wrap ${name}".`,
    )
  }
  const installed = findInstalledGateway(agent)
  if (installed && installed.url !== url) {
    const other = neutralizeLine(installed.url)
    throw wrongUsage(
      `${doing} it is pointed at ${other} already. Run "precis uninstall ${name}" first.`,
    )
  }
  const entries = listNewGatewayEntries(agent, process.env, address)
  return { entries, record: { url, entries: entries.map(({ what }) => what) } }
}

/** An installation once more changes nothing about the gateway. */
function keepGateway(agent: Agent): GatewayPlan {
  return { entries: listOwnGatewayEntries(agent, process.env), record: findInstalledGateway(agent) }
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
    }))
    terminal.printJson({ agents })
    return
  }
  const missing = statuses.flatMap(({ agent, isFound }) => (isFound ? [] : [agent.title]))
  for (const status of statuses)
    if (status.isFound) terminal.print(`${renderStatus(status, terminal)}\n`)
  if (missing.length > 0) terminal.print(`not found here: ${missing.join(', ')}`)
}

const STATES: Readonly<Record<EntryStatus['state'], string>> = {
  absent: 'not installed',
  brought: 'the plugin of precis has it',
  installed: 'installed',
  outdated: 'of another installation of precis, or edited',
  foreign: 'another has its name',
  unreadable: 'cannot be read',
}

function renderStatus({ agent, entries }: AgentStatus, terminal: Terminal): string {
  const { colors } = terminal
  const table = renderTable(
    ['what', { title: 'state', style: colors.yellow }, { title: 'file', style: colors.dim }],
    entries.map(({ what, path, state }) => [what, STATES[state], renderPath(path)]),
    terminal,
  )
  const isWhole = entries.every(({ state }) => state === 'installed' || state === 'brought')
  const advice = isWhole ? `precis uninstall ${agent.name}` : `precis install ${agent.name}`
  return `${colors.bold(agent.title)}  ${colors.dim(advice)}\n${table}`
}

const INSTALL_HELP = `
Examples:
  precis install                              which agents are here, and what is installed where
  precis install claude-code --dry-run        what would change, line by line
  precis install claude-code codex
  precis install --gateway claude-code        also send its requests through "precis serve"

Nothing of another is replaced; "precis uninstall" takes everything away again.
Exit codes: 0 done, 1 failed or another has the name, 2 wrong usage, 4 a file that cannot be read, 130 interrupted.
`

/** A change of an agent's files that was made, or would be. */
interface AgentChange {
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
    foreign: ['!', 'left as it is: it was not made by precis'],
    brought: [' ', 'the plugin of precis has it'],
    kept: ['!', 'left as it is: somebody edited it; delete it yourself'],
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

function isLeft({ entry, outcome }: EntryOutcome): boolean {
  return outcome === 'kept' || (outcome === 'foreign' && entry.whenTaken === undefined)
}

function toJson({ plan, note }: AgentChange) {
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

function renderChange({ plan, note }: AgentChange, isDry: boolean, { colors }: Terminal): string {
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
  return lines.join('\n')
}

/** Lines beside a change may hold keys, and what is shown is often passed on. */
function renderDiff({ path, before, after }: FileChange): string {
  const lines = renderUnifiedDiff(shortenHome(path), before, after).split('\n')
  return neutralizeText(
    lines.map((line) => (line.startsWith(' ') ? redactSecrets(line) : line)).join('\n'),
  )
}

const CONTEXT_LINES = 3

/**
 * A change of a file as `diff -u` shows it: `/dev/null` for a file that is not there; empty when
 * nothing changes.
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
  // Paths stay as they are: the library would quote them.
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
