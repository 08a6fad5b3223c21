import type { ConversionLoss, LossKind } from '@precis/core/formats'
import { neutralizeLine, renderCount, renderPlural } from '../terminal/render.ts'

/** The noun of each kind of loss, and why the other agent's session cannot contain it. */
const LOSSES: Readonly<Record<LossKind, readonly [noun: string, why: string]>> = {
  'system-prompt': ['system message', 'the agent has its own'],
  'tool-schema': ['tool schema', 'the agent has its own tools'],
  'host-message': ['message of the host', 'every agent adds its own'],
  reasoning: ['reasoning block', 'only its own model can read it'],
  'reasoning-seal': ['reasoning block', 'kept as text, without its signature'],
  'provider-block': ['block', 'only its provider can read it'],
  media: ['image or file', 'a note replaces it'],
  'failure-mark': ['mark of a failed call', 'what the call printed is kept'],
  'long-result': ['long result', 'stored whole, shortened by the agent in its requests'],
  'tool-name': ['tool name', 'spelled otherwise'],
  unpaired: ['call or result', 'it has no counterpart'],
  'carried-record': ['record outside the conversation', 'no other agent can read it'],
  'token-usage': ['token count', 'only true of the old requests'],
}

const MOST_NAMES = 4

/** One line for each kind. Empty if nothing was lost. */
export function renderConversionLosses(losses: readonly ConversionLoss[], to: string): string[] {
  if (losses.length === 0) return []
  const lines = Object.entries(LOSSES).flatMap(([kind, [noun, why]]) => {
    const own = losses.filter((loss) => loss.kind === kind).sort((a, b) => b.count - a.count)
    if (own.length === 0) return []
    const names = own
      .slice(0, MOST_NAMES)
      .map(({ name, count }) => `${renderCount(count)} ${neutralizeLine(name)}`)
    if (own.length > MOST_NAMES) names.push(`${own.length - MOST_NAMES} more kinds`)
    const count = own.reduce((sum, loss) => sum + loss.count, 0)
    return [`  ${pluralize(count, noun)}: ${why} (${names.join(', ')})`]
  })
  return [`not in the session of ${to} (the original keeps it)`, ...lines]
}

/** `2 images or files`: every alternative gets its plural. */
function pluralize(count: number, noun: string): string {
  const [first = noun, second] = noun.split(' or ')
  if (second !== undefined)
    return `${renderPlural(count, first)} or ${second}${count === 1 ? '' : 's'}`
  const [head = noun, ...rest] = noun.split(/ (?=of |outside )/)
  return [renderPlural(count, head), ...rest].join(' ')
}
