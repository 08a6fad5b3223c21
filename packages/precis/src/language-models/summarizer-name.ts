import { agents } from '../agents/index.ts'
import type { Agent, Environment } from '../agents/shared/agent.ts'
import type { Headless } from '../agents/shared/headless.ts'
import type { SummarizerSettings } from '../configuration/configuration.ts'
import { ConfigurationError } from '../files/errors.ts'
import { MODEL_NAMES, type ModelName, parseModelName, providers } from './providers.ts'

export type HeadlessAgent = Agent & { readonly headless: Headless }

/** The name that a user gives after `agent/`. */
function findHeadlessAgent(name: string): HeadlessAgent | undefined {
  return agents.filter(isHeadless).find(({ aliases = [], ...agent }) => {
    const names = [agent.name, agent.headless.program, ...aliases]
    return names.includes(name.toLowerCase())
  })
}

function isHeadless(agent: Agent): agent is HeadlessAgent {
  return agent.headless !== undefined
}

/** What writes summaries, by its name: a provider's model, or an agent's. */
export type SummarizerName =
  | ({ readonly type: 'model' } & ModelName)
  | {
      readonly type: 'agent'
      readonly agent: HeadlessAgent
      /** Undefined for the model that the agent is set to. */
      readonly model: string | undefined
    }

/** The forms of a summarizer's name that is not `digest`, for help and messages. */
export const SUMMARIZER_NAMES: readonly string[] = [
  ...agents.filter(isHeadless).map(({ headless }) => `agent/${headless.program}`),
  ...MODEL_NAMES,
]

/** Undefined for `digest`. Throws `ConfigurationError` for a name that nothing has. */
export function parseSummarizerName(name: string): SummarizerName | undefined {
  if (name === 'digest') return undefined
  const model = parseModelName(name)
  if (model) return { type: 'model', ...model }
  const [, agentName = '', agentModel] = /^agent\/([\w-]+)(?:\/([^\s-]\S*))?$/.exec(name) ?? []
  const agent = findHeadlessAgent(agentName)
  if (agent) return { type: 'agent', agent, model: agentModel }
  throw new ConfigurationError(
    'unknown-summarizer',
    `Unknown summarizer "${name}". Give one of digest, ${SUMMARIZER_NAMES.join(', ')}.`,
  )
}

/** A variable that decides where a summarizer sends its prompts, and what to do instead. */
export interface ForeignAddress {
  readonly variable: string
  readonly remedy: string
}

/** Undefined if the settings of the user decide. */
export function findForeignAddress(
  name: string,
  settings: SummarizerSettings,
  environment: Environment,
): ForeignAddress | undefined {
  const parsed = parseSummarizerName(name)
  const find = (variables: readonly string[]) => variables.find((each) => environment[each])
  if (parsed?.type === 'agent') {
    const variable = find(Object.values(providers).flatMap((each) => each.baseUrlVariables))
    const remedy = 'Run "precis compress" in a terminal, or use "digest".'
    return variable === undefined ? undefined : { variable, remedy }
  }
  const main = parseSummarizerName(settings.name)
  if (!parsed || (main?.type === 'model' && main.provider === parsed.provider && settings.baseUrl))
    return undefined
  const variable = find(providers[parsed.provider]?.baseUrlVariables ?? [])
  const remedy = `Give the address as "baseUrl" of the summarizer in the user's configuration.`
  return variable === undefined ? undefined : { variable, remedy }
}
