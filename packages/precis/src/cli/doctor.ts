import { randomUUID } from 'node:crypto'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { findArchivePath } from '../archive/open-archive.ts'
import { openStore } from '../archive/open-store.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { isDatabaseAddress, renderDatabaseAddress } from '../database/database.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { checkAgent } from '../gateway/check-agent.ts'
import type { Hop } from '../gateway/check-gateway.ts'
import { DEFAULT_PORT } from '../gateway/gateway-options.ts'
import { findAgentStatus } from '../installation/find-entry.ts'
import { neutralizeLine, renderPath } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes } from './failure.ts'
import { addDatabaseOption, collectAgents, listAgentNames } from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface DoctorFlags extends DatabaseFlags {
  readonly url?: string
  readonly json?: boolean
}

export function defineDoctor(command: Command, terminal: Terminal): void {
  const argument = new Argument(
    '[agents...]',
    `${listAgentNames().join(', ')}; all agents that are used here by default`,
  )
  command
    .description(
      "Sends real requests through every hop between an agent and its provider. Reports for each hop whether it works, what is wrong, and what to do. It asks the provider for its list of models, which costs nothing, with the agent's key if the environment has it. A refused key is a problem.",
    )
    .addArgument(argument.argParser(collectAgents))
    .addOption(
      new Option(
        '--url <address>',
        "check this gateway, instead of the agents' present address",
      ).argParser(parseUrl),
    )
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', DOCTOR_HELP)
    .action((given: Agent[], flags: DoctorFlags) =>
      doctor(given, flags, command.parent?.version() ?? '', terminal),
    )
}

function parseUrl(text: string): string {
  const isAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isAddress)
    throw new InvalidArgumentError(`Give an address as http://127.0.0.1:${DEFAULT_PORT}.`)
  return text.replace(/\/+$/, '')
}

interface Checked {
  readonly agent: string
  readonly hops: readonly Hop[]
}

async function doctor(
  given: readonly Agent[],
  flags: DoctorFlags,
  version: string,
  terminal: Terminal,
): Promise<void> {
  const { archive, gateway } = await readConfigured({ database: flags.database })
  const usual = `http://127.0.0.1:${gateway?.port ?? DEFAULT_PORT}`
  const used = agents.filter(
    (agent) => agent.wire && findAgentStatus(agent, findStartCommand()).isFound,
  )
  const checked: Checked[] = []
  for (const agent of given.length > 0 ? new Set(given) : used) {
    checked.push({
      agent: agent.name,
      hops: await checkAgent(agent, { url: flags.url, usual, version, isNamed: given.length > 0 }),
    })
  }
  const database = await checkDatabase(archive?.database)
  const isWell = [...checked.flatMap(({ hops }) => hops), database].every(
    ({ state }) => state !== 'problem',
  )
  if (flags.json) terminal.printJson({ isWell, database, agents: checked })
  else terminal.print(render(checked, database, terminal))
  process.exitCode = isWell ? exitCodes.done : exitCodes.failed
}

/** Writes and deletes one small entry. */
async function checkDatabase(place: string | undefined): Promise<Hop> {
  const path = place ?? findArchivePath()
  const shown = isDatabaseAddress(path) ? renderDatabaseAddress(path) : renderPath(path)
  const store = openStore(place, { host: 'gateway' })
  const key = `doctor/${randomUUID()}`
  try {
    await store.write(key, 'written', undefined)
    const isThere = (await store.find([key]))?.value === 'written'
    await store.delete(key)
    if (isThere) return { name: 'database', state: 'ok', found: `${shown} can be written` }
    return {
      name: 'database',
      state: 'problem',
      found: `${shown} does not return what was written`,
      advice: 'run "precis archive verify"',
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      name: 'database',
      state: 'problem',
      found: `${shown} takes nothing: ${reason}`,
      advice: 'check its disk, its permissions, or --database',
    }
  }
}

const INDENT = ' '.repeat(20)

const STATES = { ok: 'ok', problem: 'wrong', unknown: '?' } as const

function render(checked: readonly Checked[], database: Hop, terminal: Terminal): string {
  const { colors } = terminal
  const paint = { ok: colors.green, problem: colors.red, unknown: colors.yellow }
  const rows = (hops: readonly Hop[]) =>
    hops.flatMap(({ name, state, found, advice, commands = [] }) => [
      `  ${paint[state](STATES[state].padEnd(6))} ${name.padEnd(10)} ${neutralizeLine(found)}`,
      // Copied from the terminal, so that no line may break them.
      ...(commands.length > 0 ? [`${INDENT}→ run:`] : []),
      ...commands.map((command) => `${INDENT}  ${colors.bold(command)}`),
      ...(advice === undefined || state === 'ok'
        ? []
        : [`${INDENT}${commands.length > 0 ? '' : '→ '}${neutralizeLine(advice)}`]),
    ])
  const parts = Array.from(groupHops(checked), ([names, hops]) =>
    [colors.bold(names), ...rows(hops)].join('\n'),
  )
  if (checked.length === 0)
    parts.push(
      'No agent that can use a gateway is used here. Name one, as in "precis doctor claude".',
    )
  return [...parts, [colors.bold('precis'), ...rows([database])].join('\n')].join('\n\n')
}

/** What is the same for several agents, such as their gateway, is said once, before the rest. */
function groupHops(checked: readonly Checked[]): ReadonlyMap<string, readonly Hop[]> {
  const found = new Map<string, { readonly hop: Hop; readonly agents: string[] }>()
  for (const { agent, hops } of checked) {
    for (const hop of hops) {
      const key = JSON.stringify(hop)
      const known = found.get(key) ?? { hop, agents: [] }
      found.set(key, known)
      known.agents.push(agent)
    }
  }
  const isShared = ({ agents }: { readonly agents: readonly string[] }) => agents.length > 1
  const all = [...found.values()]
  const groups = new Map<string, Hop[]>()
  for (const { hop, agents } of [...all.filter(isShared), ...all.filter((one) => !isShared(one))]) {
    const names = agents.join(', ')
    groups.set(names, [...(groups.get(names) ?? []), hop])
  }
  return groups
}

const DOCTOR_HELP = `
Examples:
  precis doctor
  precis doctor claude --json | jq .isWell
  precis doctor codex --url http://gateway.example:4141/t/$PRECIS_TOKEN

Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage. "?" is what could not be tried, and is not wrong.
`
