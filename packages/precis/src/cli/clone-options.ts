/** What is shortened in a clone, and how. */
import { type Band, DEFAULT_MIN_TOKENS } from '@precis/core/strategies'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CloneSettings, ToolSetting } from '../compression/clone-session.ts'

export interface CloneSettingFlags {
  readonly profile?: string
  readonly band?: readonly Band[]
  readonly tools?: ToolSetting
  readonly reasoning?: number
  readonly includeUser?: boolean
  readonly minTokens?: number
}

export function addSettingOptions(command: Command): Command {
  return command
    .option(
      '--band <start-end:level>',
      'rewrite answers in this part in fewer words: heavy (10%), standard (35%) or a share such as 0.3 (repeatable)',
      parseBand,
    )
    .option(
      '--tools <mode:percent>',
      'tool calls in the oldest turns: remove, truncate or mask',
      parseTools,
    )
    .option(
      '--reasoning <percent>',
      'remove reasoning in the oldest turns, except that of the latest answer',
      parsePercent,
    )
    .option('--include-user', 'shorten your own words in bands too, except your last request')
    .addOption(
      new Option('--min-tokens <tokens>', 'leave shorter texts unchanged')
        .argParser(parseTokens)
        .default(DEFAULT_MIN_TOKENS, String(DEFAULT_MIN_TOKENS)),
    )
    .addOption(
      new Option(
        '--profile <name>',
        `settings for tools and reasoning together: ${Object.keys(profiles).join(', ')}`,
      ).choices(Object.keys(profiles)),
    )
}

/** Source: the profiles of coding-agent-manager. */
export const profiles: Readonly<
  Record<string, { readonly tools: ToolSetting; readonly reasoning: number }>
> = {
  emergency: { tools: { mode: 'remove', percent: 100 }, reasoning: 100 },
  routine: { tools: { mode: 'truncate', percent: 100 }, reasoning: 100 },
  preserve: { tools: { mode: 'truncate', percent: 80 }, reasoning: 100 },
  minimal: { tools: { mode: 'truncate', percent: 50 }, reasoning: 100 },
}

/** Explicit flags override the profile. */
export function readCloneSettings(flags: CloneSettingFlags): CloneSettings {
  const profile = flags.profile === undefined ? undefined : profiles[flags.profile]
  return {
    profile: flags.profile,
    bands: [...(flags.band ?? [])].sort((a, b) => a.start - b.start),
    tools: flags.tools ?? profile?.tools,
    reasoning: flags.reasoning ?? profile?.reasoning ?? 0,
    includeUser: flags.includeUser ?? false,
    minTokens: flags.minTokens ?? DEFAULT_MIN_TOKENS,
  }
}

const LEVELS = new Map<string, Band['level']>([
  ['standard', 'compress'],
  ['compress', 'compress'],
  ['heavy', 'heavy-compress'],
  ['heavy-compress', 'heavy-compress'],
])
const NUMBER = '(\\d{1,3}(?:\\.\\d{1,6})?)'
const BAND = new RegExp(`^${NUMBER}-${NUMBER}:([a-z-]{1,20}|0?\\.\\d{1,6})$`)
const TOOLS = new RegExp(`^(remove|truncate|mask):${NUMBER}%?$`)
const PERCENT = new RegExp(`^${NUMBER}%?$`)

/** `0-50:heavy`, `50-80:standard`, `80-95:0.5`. Repeated options add up. */
export function parseBand(text: string, before: readonly Band[] = []): readonly Band[] {
  const [, start = '', end = '', level = ''] = BAND.exec(text.trim().toLowerCase()) ?? []
  const chosen = LEVELS.get(level) ?? (level.includes('.') ? Number(level) : 0)
  if (chosen === 0) {
    throw new InvalidArgumentError(
      'Give a part of the turns in percent and how much of its text is left: 0-50:heavy (10%), 50-80:standard (35%), or a share as in 50-80:0.3.',
    )
  }
  return [...before, { start: Number(start), end: Number(end), level: chosen }]
}

export function parseTools(text: string): ToolSetting {
  const [, mode, percent = ''] = TOOLS.exec(text.trim().toLowerCase()) ?? []
  const isMode = mode === 'remove' || mode === 'truncate' || mode === 'mask'
  if (isMode && Number(percent) <= 100) return { mode, percent: Number(percent) }
  throw new InvalidArgumentError(
    'Give an action and the percentage of the oldest turns: remove:75, truncate:75 or mask:75.',
  )
}

export function parsePercent(text: string): number {
  const [, percent] = PERCENT.exec(text.trim()) ?? []
  if (percent !== undefined && Number(percent) <= 100) return Number(percent)
  throw new InvalidArgumentError('Give a share of the turns from 0 to 100, oldest first.')
}

export function parseTokens(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text)
  throw new InvalidArgumentError('Give a number of tokens.')
}
