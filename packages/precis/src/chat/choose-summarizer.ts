import type { Summarizer } from '@precis/core'
import { mergeSummarizers } from '../configuration/summarizer-settings.ts'
import { createSummarizer } from '../summarizers/create-summarizer.ts'
import type { ChatOptions } from './chat-agent.ts'

/** The demo asks no other model unless it was told to. Throws `ConfigurationError`. */
export function chooseSummarizer({ summarizer, configuration, isDemo, host = {} }: ChatOptions): Promise<Summarizer> {
  const usual = configuration.summarizer
  const name = summarizer ?? (isDemo ? 'digest' : (configuration.chat?.summarizer ?? usual.name))
  const { environment, answersFolder } = host
  return createSummarizer(mergeSummarizers([usual, { name }]), {
    ...(environment && { environment }),
    ...(answersFolder !== undefined && { answersFolder }),
  })
}
