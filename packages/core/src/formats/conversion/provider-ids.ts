import type { Protocol } from '../../conversation/message.ts'
import type { ProviderModel, SessionStart } from './adoption.ts'

/** Who speaks a protocol, as agents that speak to many call them. */
const providerIds: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openrouter',
  'openai-responses': 'openai',
  'gemini-contents': 'google',
}

/** Stands for the model of a session that does not tell it. */
const UNKNOWN_MODEL = 'unknown'

/** The recorded provider, or the one that is known best for what the session speaks. */
export function findProviderModel({ model = UNKNOWN_MODEL, provider, protocol }: SessionStart): ProviderModel {
  return { provider: provider || providerIds[protocol], model }
}
