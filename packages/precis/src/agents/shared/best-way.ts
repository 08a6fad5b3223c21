/** How a user begins with precis in an agent, in words. */
import { findClone } from '../../files/installed-files.ts'
import type { Agent } from './agent.ts'
import type { BestWay } from './installation.ts'

const REPOSITORY = '<repository>'

/** What to run to begin with precis in this agent, and what precis then does, in sentences. */
export function describeBestWay(agent: Agent): string | undefined {
  const way = findBestWay(agent)
  if (!way) return undefined
  const where = needsRepository(way.commands)
    ? ` (${REPOSITORY}: the folder of a clone of precis)`
    : ''
  return `Run "${way.commands.join(' && ')}"${where}. ${way.effect}`
}

/** The same with each command on a line of its own, where it can be copied. */
export function listBestWay(
  agent: Agent,
): { readonly commands: readonly string[]; readonly effect: string } | undefined {
  const way = findBestWay(agent)
  if (!way || !needsRepository(way.commands)) return way
  return { ...way, effect: `${REPOSITORY} is the folder of a clone of precis. ${way.effect}` }
}

function findBestWay({ title, installation }: Agent) {
  if (!installation) return undefined
  const { does, cost, answering } = installation.bestWay
  const other = answering === undefined ? '' : ` "${answering}" answers it without a model.`
  return {
    commands: listWayCommands(installation.bestWay),
    effect: `At a compaction of ${title}, precis then ${does}. Its cost: ${cost}.${other}`,
  }
}

function needsRepository(commands: readonly string[]): boolean {
  return commands.some((command) => command.includes(REPOSITORY))
}

/** As they can be typed, if this precis runs from a clone. */
function listWayCommands({ commands }: BestWay): readonly string[] {
  const clone = findClone()
  if (clone === undefined) return commands
  const path = /^[\w./:\\-]+$/.test(clone) ? clone : `'${clone}'`
  return commands.map((command) => command.replace(REPOSITORY, path))
}

/** Lines with the commands of a plugin. Undefined if `precis install` does the same. */
export function renderPluginWay({ title, installation }: Agent): string | undefined {
  if (!installation) return undefined
  const { bestWay } = installation
  if (!bestWay.isOnlyByPlugin) return undefined
  const commands = listWayCommands(bestWay)
  const where = needsRepository(commands)
    ? [`  ${REPOSITORY} is the folder of a clone of precis.`]
    : []
  return [
    `The plugin is the better way: at a compaction of ${title}, precis then ${bestWay.does}. Its cost: ${bestWay.cost}.`,
    ...commands.map((command) => `  ${command}`),
    ...where,
  ].join('\n')
}
