/** How a chat is compressed: what flags and the configuration say, and what the user changed while it ran. */
import type { Ladder, Strategy } from '@precis/core'
import type { Summarizer, SummaryUsage } from '@precis/core/summarizers'
import type { KeptEnds } from '../configuration/configuration.ts'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { mergeSummarizers } from '../configuration/summarizer-settings.ts'
import {
  KEEP_HELP,
  readKeep,
  readThreshold,
  renderKeep,
  renderThreshold,
  THRESHOLD_HELP,
} from '../configuration/threshold.ts'
import { createSummarizer } from '../summarizers/create-summarizer.ts'
import { type ChatOptions, SETTING_NAMES, type SettingName, type SettingTexts } from './chat-agent.ts'

/** As a context takes them. */
export interface CompressionSettings {
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly threshold: number | undefined
  readonly keep: KeptEnds | undefined
}

export interface ChatSettings {
  readonly current: CompressionSettings
  /** All that holds, also what nobody changed. */
  readonly texts: SettingTexts
  /** Undefined goes back to the flag or the configuration. Throws `ConfigurationError`, and leaves everything as it was. */
  change(name: SettingName, text: string | undefined): Promise<void>
  /** Changes what was changed when the chat was held before, unless a flag was given. Resolves to what cannot be any more, in words for the user. */
  restore(recorded: SettingTexts): Promise<readonly string[]>
}

/** Called with what a summary was paid, and the name of its model. */
type OnUsage = (usage: SummaryUsage, name: string) => void

/** Throws `ConfigurationError` for a flag or a configuration that cannot be worked with. */
export async function openSettings(options: ChatOptions, onUsage: OnUsage): Promise<ChatSettings> {
  const create = (texts: SettingTexts) => createSettings(options, texts, onUsage)
  let current = await create({})
  let changed: SettingTexts = {}
  const change = async (name: SettingName, text: string | undefined) => {
    const { [name]: _before, ...others } = changed
    const next = text === undefined ? others : { ...others, [name]: text }
    current = await create(next)
    changed = next
  }
  return {
    get current() {
      return current
    },
    get texts() {
      const { strategy, summarizer, threshold, keep } = current
      return {
        strategy: strategy.name,
        summarizer: summarizer.name,
        ...(threshold !== undefined && { threshold: renderThreshold(threshold) }),
        ...(keep && { keep: renderKeep(keep) }),
      }
    },
    change,
    async restore(recorded) {
      const notices: string[] = []
      for (const name of SETTING_NAMES) {
        const text = options[name] === undefined ? recorded[name] : undefined
        if (text === undefined) continue
        try {
          await change(name, text)
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error
          notices.push(`The chat had ${name} ${text}, which does not hold any more. ${error.message}`)
        }
      }
      return notices
    },
  }
}

async function createSettings(
  options: ChatOptions,
  texts: SettingTexts,
  onUsage: OnUsage,
): Promise<CompressionSettings> {
  const { configuration, strategy } = options
  const threshold = texts.threshold === undefined ? undefined : readThreshold(texts.threshold)
  if (texts.threshold !== undefined && threshold === undefined) throw refuse('threshold', texts, THRESHOLD_HELP)
  const keep = texts.keep === undefined ? undefined : readKeep(texts.keep)
  if (texts.keep !== undefined && !keep) throw refuse('keep', texts, KEEP_HELP)
  return {
    strategy: findStrategy(
      texts.strategy ?? strategy ?? configuration.chat?.strategy ?? configuration.strategy ?? 'auto',
    ),
    summarizer: await openSummarizer(options, texts.summarizer, onUsage),
    threshold: threshold ?? options.threshold ?? configuration.threshold,
    keep: keep ?? options.keep ?? configuration.keep,
  }
}

function refuse(name: SettingName, { [name]: text }: SettingTexts, help: string): ConfigurationError {
  return new ConfigurationError('invalid-configuration', `Setting ${name} to "${text}": it was not understood. ${help}`)
}

function findStrategy(name: string): Strategy | Ladder {
  const found = Object.hasOwn(strategyChoices, name) ? strategyChoices[name] : undefined
  if (found) return found
  const names = Object.keys(strategyChoices).join(', ')
  throw new ConfigurationError('invalid-configuration', `Unknown strategy "${name}". Give one of ${names}.`)
}

/** The demo asks no other model unless it was told to. */
async function openSummarizer(
  { summarizer, configuration, isDemo, host = {} }: ChatOptions,
  changed: string | undefined,
  onUsage: OnUsage,
): Promise<Summarizer> {
  const usual = configuration.summarizer
  const name = changed ?? summarizer ?? (isDemo ? 'digest' : (configuration.chat?.summarizer ?? usual.name))
  const { environment, answersFolder } = host
  const opened = await createSummarizer(mergeSummarizers([usual, { name }]), {
    ...(environment && { environment }),
    ...(answersFolder !== undefined && { answersFolder }),
  })
  return {
    ...opened,
    summarize: async (request) => {
      const summary = await opened.summarize(request)
      if (summary.usage) onUsage(summary.usage, opened.name)
      return summary
    },
  }
}
