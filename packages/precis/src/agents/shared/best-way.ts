/** How a user begins with precis in an agent, in words. */
import { findClone } from '../../files/installed-files.ts'
import type { Agent } from './agent.ts'
import type { BestWay } from './installation.ts'

const REPOSITORY = '<repository>'

/**
 * The commands with which precis begins in this agent, each to be copied from a line of its own, and
 * what precis then does, in sentences.
 */
export function findBestWay({
  title,
  installation,
}: Agent): { readonly commands: readonly string[]; readonly effect: string } | undefined {
  if (!installation) return undefined
  const { does, cost, answering } = installation.bestWay
  const commands = listWayCommands(installation.bestWay)
  const where = needsRepository(commands)
    ? `${REPOSITORY} is the folder of a clone of precis. `
    : ''
  const other = answering === undefined ? '' : ` "${answering}" answers it without a model.`
  const effect = `At a compaction of ${title}, precis then ${does}. Its cost: ${cost}.${other}`
  return { commands, effect: where + effect }
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
