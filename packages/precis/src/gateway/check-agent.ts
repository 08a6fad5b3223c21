/** Every hop between an agent and its provider. */
import type { Agent } from '../agents/shared/agent.ts'
import { findBestWay, renderPluginWay } from '../agents/shared/best-way.ts'
import { hideToken } from '../agents/shared/wire.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { isBrought } from '../installation/find-entry.ts'
import { findInstalledGateway } from '../installation/gateway-entries.ts'
import { findRecallTool } from '../installation/recall-tool.ts'
import { checkGateway, type Hop, ok, unknown } from './check-gateway.ts'
import { upstreamNames } from './upstreams.ts'

interface Addresses {
  readonly url: string | undefined
  /** The default address of this user's gateway. */
  readonly usual: string
  readonly version: string
  /** Whether the user named this agent. */
  readonly isNamed: boolean
}

export async function checkAgent(
  agent: Agent,
  { url, usual, version, isNamed }: Addresses,
): Promise<readonly Hop[]> {
  const { title, wire } = agent
  const upstream = upstreamNames.find((name) => name === wire?.launch.upstream)
  if (!wire || upstream === undefined) {
    const found = `a gateway takes no action in requests of ${title}`
    return [unknown('address', found), ...checkRecall(agent)]
  }
  const told =
    wire.launch.findUpstreams(process.env, process.cwd())[upstream] ??
    findInstalledGateway(agent)?.url
  const found = told?.replace(/\/+$/, '').replace(/\/v1(?:beta)?$/, '')
  const checked = hideToken(url ?? usual)
  const address =
    found === undefined
      ? unknown('address', `${title} is not set to use a gateway. Checking ${checked}`)
      : ok('address', `${title} sends its requests to ${hideToken(found)}`)
  const hops = await checkGateway({
    url: url ?? found ?? usual,
    version,
    upstream,
    environment: process.env,
  })
  // Users of "precis wrap" have no gateway between two starts.
  const isUsual = told === undefined && url === undefined && !isNamed && hops.length === 1
  const seen = isUsual ? hops.map((hop): Hop => ({ ...hop, state: 'unknown' })) : hops
  return [address, ...seen, ...checkRecall(agent)]
}

/** Whether the model can look up what was removed, and whether a plugin would do more. */
function checkRecall(agent: Agent): Hop[] {
  const tool = findRecallTool(agent)
  const way = findBestWay(agent)
  const advised = way && { advice: way.effect, commands: way.commands }
  if (!tool)
    return [{ ...unknown('recall', 'no tool that searches removed text is installed'), ...advised }]
  const recall = ok('recall', `the model has ${tool.toolName}`)
  if (renderPluginWay(agent) === undefined || hasPlugin(agent)) return [recall]
  const found = 'the plugin is not installed, and it is the better way'
  return [recall, { ...unknown('plugin', found), ...advised }]
}

const hasPlugin = ({ installation }: Agent): boolean =>
  installation
    ?.listEntries({ environment: process.env, command: findStartCommand() })
    .some(isBrought) === true
