import { ConfigurationError } from '../configuration/configuration-error.ts'
import { providers } from '../summarizers/providers.ts'
import type { ChatOptions } from './chat-agent.ts'
import { demoModels, FIRST_DEMO_MODEL } from './demo/demo-models.ts'
import { connectModel, type ModelSettings } from './models/connect-model.ts'
import { findDefaultModel } from './models/list-models.ts'

/**
 * The model that was asked for, or that of the chat that goes on, or the configured one, or one whose key is there. Throws
 * `ConfigurationError`.
 */
export function chooseModel(options: ChatOptions, recorded: string | undefined, settings: ModelSettings): string {
  const { model, isDemo, configuration } = options
  if (model !== undefined) return connectModel(model, settings).name
  if (isDemo) return demoModels.find(({ name }) => name === recorded)?.name ?? FIRST_DEMO_MODEL
  const usual = recorded === undefined ? undefined : findReachable(recorded, settings)
  if (usual !== undefined) return usual
  const name = configuration.chat?.model ?? findDefaultModel(settings)
  if (name !== undefined) return connectModel(name, settings).name
  const variables = Object.values(providers).flatMap(({ needsKey, keyVariable }) => (needsKey ? [keyVariable] : []))
  throw new ConfigurationError(
    'missing-key',
    `A chat needs a model: set ${variables.slice(0, -1).join(', ')} or ${variables.at(-1)}, or try "precis chat --demo", which needs no key.`,
  )
}

function findReachable(name: string, settings: ModelSettings): string | undefined {
  try {
    return connectModel(name, settings).name
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}
