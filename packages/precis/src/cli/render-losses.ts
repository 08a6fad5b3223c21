/** What a session of another agent cannot hold, told to the person. */
import type { ConversionLoss, LossKind } from '@precis/core/formats'
import { renderCount, renderPlural } from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'

/** The noun of each kind, and what becomes of it. */
const KINDS: Readonly<Record<LossKind, readonly [noun: string, fate: string]>> = {
  'system-prompt': ['system message', 'the agent has its own'],
  'tool-schema': ['tool schema', 'the agent has its own tools'],
  'host-message': ['message of the host', 'every agent tells its own surroundings'],
  reasoning: ['reasoning block', 'only who thought it can read it'],
  'reasoning-seal': ['reasoning block', 'kept as words, without its signature'],
  'provider-block': ['block', 'only its provider reads it'],
  media: ['image or file', 'a note stands in its place'],
  'failure-mark': ['mark of a failed call', 'what the call printed is kept'],
  'long-result': ['long result', 'stored whole, shortened by the agent in its requests'],
  'tool-name': ['tool name', 'spelled otherwise'],
  unpaired: ['call or result', 'it has no counterpart'],
  'carried-record': ['record beside the conversation', 'no other agent reads it'],
  'token-usage': ['token count', 'true of the old requests only'],
}
const MOST_NAMES = 4

/** One line for each kind; none where nothing was lost. */
export function renderLosses(losses: readonly ConversionLoss[], to: string): string[] {
  if (losses.length === 0) return []
  const lines = Object.entries(KINDS).flatMap(([kind, [noun, fate]]) => {
    const own = losses.filter((loss) => loss.kind === kind).sort((a, b) => b.count - a.count)
    if (own.length === 0) return []
    const count = own.reduce((sum, loss) => sum + loss.count, 0)
    return [`  ${pluralize(count, noun)}: ${fate} (${renderNames(own)})`]
  })
  return [`not in the session of ${to}; the original keeps it:`, ...lines]
}

/** `2 images or files`: every word of the alternative takes its plural. */
function pluralize(count: number, noun: string): string {
  const [first = noun, second] = noun.split(' or ')
  if (second !== undefined) return `${renderPlural(count, first)} or ${second}${count === 1 ? '' : 's'}`
  const [head = noun, ...rest] = noun.split(/ (?=of |beside )/)
  return [renderPlural(count, head), ...rest].join(' ')
}

function renderNames(losses: readonly ConversionLoss[]): string {
  const names = losses.slice(0, MOST_NAMES).map(({ name, count }) => `${renderCount(count)} ${neutralizeLine(name)}`)
  const others = losses.length - names.length
  return [...names, ...(others > 0 ? [`${others} more kinds`] : [])].join(', ')
}
