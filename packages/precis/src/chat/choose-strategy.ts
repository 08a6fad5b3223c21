import type { Ladder, Strategy } from '@precis/core'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import type { ChatOptions } from './chat-agent.ts'

/** Throws `ConfigurationError` for an unknown one. */
export function chooseStrategy({ strategy, configuration }: ChatOptions): Strategy | Ladder {
  const name = strategy ?? configuration.chat?.strategy ?? configuration.strategy ?? 'auto'
  const found = Object.hasOwn(strategyChoices, name) ? strategyChoices[name] : undefined
  if (found) return found
  const names = Object.keys(strategyChoices).join(', ')
  throw new ConfigurationError('invalid-configuration', `Unknown strategy "${name}". Give one of ${names}.`)
}
