/**
 * How a chat is compressed: flags, the configuration, and what the user changed during the chat.
 */
import type { Ladder, Strategy, Summarizer } from '@precis/core'
import type { SummaryUsage } from '@precis/core/summarizers'
import {
  ChatError,
  type ChatOptions,
  readErrorCode,
  SETTING_NAMES,
  type SettingName,
  type SettingTexts,
} from '../contract/chat-agent.ts'
import type { SettingPort, TextSetting } from '../contract/ports.ts'

export type ChatSettings = Awaited<ReturnType<typeof openSettings>>

/** Called with the tokens billed for a summary, and its model. */
type OnUsage = (usage: SummaryUsage, name: string) => void

/** Rejects with an error that has a code if a flag or the configuration is invalid. */
export async function openSettings(options: ChatOptions, onUsage: OnUsage) {
  const { settings } = options.ports
  let current = await createSettings(options, {}, onUsage)
  let changed: SettingTexts = {}
  /**
   * Undefined returns to the flag or the configuration. Rejects with an error that has a code, and
   * then changes nothing.
   */
  const change = async (name: SettingName, text: string | undefined): Promise<void> => {
    const next = { ...changed, [name]: text }
    current = await createSettings(options, next, onUsage)
    changed = next
  }
  return {
    /** In the form of a context's options. */
    get current() {
      return current
    },
    /** All settings that apply, changed or not. */
    get texts(): SettingTexts {
      const { strategy, summarizer, spend, threshold, keep } = current
      return {
        strategy: strategy.name,
        summarizer: summarizer.name,
        spend,
        threshold: threshold === undefined ? undefined : settings.threshold.render(threshold),
        keep: keep && settings.keep.render(keep),
      }
    },
    change,
    /**
     * Restores the changes of the earlier chat, unless a flag was given. Resolves to messages about
     * settings that no longer work.
     */
    async restore(recorded: SettingTexts): Promise<readonly string[]> {
      const notices: string[] = []
      for (const name of SETTING_NAMES) {
        const text = options[name] === undefined ? recorded[name] : undefined
        if (text === undefined) continue
        try {
          await change(name, text)
        } catch (error) {
          if (!(error instanceof Error) || readErrorCode(error) === undefined) throw error
          notices.push(
            `The chat had ${name} ${text}, which does not hold any more. ${error.message}`,
          )
        }
      }
      return notices
    },
  }
}

async function createSettings(options: ChatOptions, texts: SettingTexts, onUsage: OnUsage) {
  const { configuration, settings } = options.ports
  const strategy =
    texts.strategy ?? options.strategy ?? configuration.chat?.strategy ?? configuration.strategy
  const spend = readSetting('spend', texts, settings.spend)
  const threshold = readSetting('threshold', texts, settings.threshold)
  const keep = readSetting('keep', texts, settings.keep)
  return {
    strategy: findStrategy(strategy ?? 'auto', settings.strategies),
    summarizer: await openSummarizer(options, texts.summarizer, onUsage),
    spend: spend ?? options.spend ?? configuration.spend,
    threshold: threshold ?? options.threshold ?? configuration.threshold,
    keep: keep ?? options.keep ?? configuration.keep,
  }
}

function readSetting<Value>(
  name: SettingName,
  texts: SettingTexts,
  { read, help }: TextSetting<Value>,
) {
  const text = texts[name]
  const value = text === undefined ? undefined : read(text)
  if (text === undefined || value !== undefined) return value
  throw new ChatError(
    'invalid-configuration',
    `Setting ${name} to "${text}": it was not understood. ${help}`,
  )
}

function findStrategy(name: string, strategies: SettingPort['strategies']): Strategy | Ladder {
  const found = Object.hasOwn(strategies, name) ? strategies[name] : undefined
  if (found) return found
  const names = Object.keys(strategies).join(', ')
  throw new ChatError('invalid-configuration', `Unknown strategy "${name}". Give one of ${names}.`)
}

/** The demo asks no other model unless a flag or a setting names one. */
async function openSummarizer(
  { summarizer, isDemo, ports }: ChatOptions,
  changed: string | undefined,
  onUsage: OnUsage,
): Promise<Summarizer> {
  const { configuration, settings } = ports
  const usual = configuration.chat?.summarizer ?? configuration.summarizer.name
  const opened = await settings.createSummarizer(
    changed ?? summarizer ?? (isDemo ? 'digest' : usual),
  )
  return {
    ...opened,
    summarize: async (request) => {
      const summary = await opened.summarize(request)
      if (summary.usage) onUsage(summary.usage, opened.name)
      return summary
    },
  }
}
