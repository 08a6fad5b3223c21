import type { ModelMessage, SystemModelMessage } from 'ai'

/** Gives a copy on which the provider is told to cache up to here; the message itself where it does so unasked. */
export type CacheMark = <Message extends ModelMessage | SystemModelMessage>(message: Message) => Message

const EPHEMERAL = { type: 'ephemeral' } as const

/** Claude caches only what it is told to; every other model does it unasked, or not at all. */
export function createCacheMark(provider: string, model: string): CacheMark {
  const isClaude = provider === 'anthropic' || (provider === 'openrouter' && model.startsWith('anthropic/'))
  if (!isClaude) return (message) => message
  return <Message extends ModelMessage | SystemModelMessage>(message: Message): Message => {
    const given = message.providerOptions
    const marked = { ...given?.[provider], cacheControl: EPHEMERAL }
    return { ...message, providerOptions: { ...given, [provider]: marked } }
  }
}
