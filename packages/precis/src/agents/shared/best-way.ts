import type { Agent } from './agent.ts'

/** What to run to begin with precis in this agent, and what precis then does, in sentences. */
export function describeBestWay({ title, installation }: Agent): string | undefined {
  if (!installation) return undefined
  const { commands, does, cost, answering } = installation.bestWay
  const other = answering === undefined ? '' : ` "${answering}" answers it without a model.`
  return `Run "${commands.join(' && ')}". At a compaction of ${title}, precis then ${does}. Its cost: ${cost}.${other}`
}
