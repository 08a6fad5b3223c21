/** What a clone is asked to change, as flags say it. */
import { type Band, createBands, createClearReasoning, createClearTools, type Strategy } from '@precis/core'
import { DEFAULT_MIN_TOKENS } from '@precis/core/strategies'
import { InvalidArgumentError } from 'commander'
import { wrongUsage } from './failure.ts'

/** Tools of the oldest turns. */
export interface ToolSetting {
  readonly mode: 'remove' | 'truncate' | 'mask'
  readonly percent: number
}

export interface CloneFlags {
  readonly profile?: string
  readonly band?: readonly Band[]
  readonly tools?: ToolSetting
  readonly reasoning?: number
  readonly includeUser?: boolean
  readonly minTokens?: number
}

export interface CloneSettings {
  readonly profile: string | undefined
  /** In order of their start. */
  readonly bands: readonly Band[]
  readonly tools: ToolSetting | undefined
  /** Percent of the turns, oldest first, whose reasoning goes. */
  readonly reasoning: number
  readonly includeUser: boolean
  readonly minTokens: number
}

/** Source: the profiles of coding-agent-manager. */
export const profiles: Readonly<Record<string, { readonly tools: ToolSetting; readonly reasoning: number }>> = {
  emergency: { tools: { mode: 'remove', percent: 100 }, reasoning: 100 },
  routine: { tools: { mode: 'truncate', percent: 100 }, reasoning: 100 },
  preserve: { tools: { mode: 'truncate', percent: 80 }, reasoning: 100 },
  minimal: { tools: { mode: 'truncate', percent: 50 }, reasoning: 100 },
}

/** What is given stands before what the profile says. */
export function readSettings(flags: CloneFlags): CloneSettings {
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

/** What costs nothing first: text of what is cleared anyway is never handed to a summarizer. */
export function createSteps({ tools, reasoning, bands, includeUser, minTokens }: CloneSettings): Strategy[] {
  const steps: Strategy[] = []
  if (tools && tools.percent > 0) {
    steps.push(createClearTools({ mode: tools.mode, zone: { fraction: tools.percent / 100 } }))
  }
  if (reasoning > 0) steps.push(createClearReasoning({ zone: { fraction: reasoning / 100 } }))
  try {
    if (bands.length > 0) steps.push(createBands({ bands, includeUser, minTokens }))
  } catch (error) {
    if (error instanceof RangeError) throw wrongUsage(error.message)
    throw error
  }
  return steps
}

const LEVELS: Readonly<Record<string, Band['level']>> = {
  standard: 'compress',
  compress: 'compress',
  heavy: 'heavy-compress',
  'heavy-compress': 'heavy-compress',
}
const NUMBER = '(\\d{1,3}(?:\\.\\d{1,6})?)'
const BAND = new RegExp(`^${NUMBER}-${NUMBER}:([a-z-]{1,20}|0?\\.\\d{1,6})$`)
const TOOLS = new RegExp(`^(remove|truncate|mask):${NUMBER}%?$`)
const PERCENT = new RegExp(`^${NUMBER}%?$`)

/** `0-50:heavy`, `50-80:standard`, `80-95:0.5`; given several times they add up. */
export function parseBand(text: string, before: readonly Band[] = []): readonly Band[] {
  const [, start = '', end = '', level = ''] = BAND.exec(text.trim().toLowerCase()) ?? []
  const known = Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined
  const ratio = level.includes('.') ? Number(level) : undefined
  if (known === undefined && !ratio) {
    throw new InvalidArgumentError(
      'Give a part of the turns in percent and what is left of its text: 0-50:heavy (10 %), 50-80:standard (35 %), or a share as in 50-80:0.3.',
    )
  }
  return [...before, { start: Number(start), end: Number(end), level: known ?? ratio ?? 0 }]
}

/** `remove:75` */
export function parseTools(text: string): ToolSetting {
  const [, mode, percent = ''] = TOOLS.exec(text.trim().toLowerCase()) ?? []
  const isMode = mode === 'remove' || mode === 'truncate' || mode === 'mask'
  if (isMode && Number(percent) <= 100) return { mode, percent: Number(percent) }
  throw new InvalidArgumentError(
    'Give what is done and to how many of the oldest turns: remove:75, truncate:75 or mask:75.',
  )
}

/** `100` or `100%` */
export function parsePercent(text: string): number {
  const [, percent] = PERCENT.exec(text.trim()) ?? []
  if (percent !== undefined && Number(percent) <= 100) return Number(percent)
  throw new InvalidArgumentError('Give a share of the turns from 0 to 100, oldest first.')
}

export function parseTokens(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text)
  throw new InvalidArgumentError('Give a number of tokens.')
}
