import type { ContextEvents } from '../context/context-events.ts'
import type { FollowSettings } from '../context/follow.ts'

/** How a wrapped client keeps its conversations within the window. All of it may be left out. */
export interface WrapOptions extends FollowSettings {
  /** How many conversations of the client are remembered at a time; 8 by default. */
  readonly maxConversations?: number
  /** Asked at every request: other options for the conversation that begins with it, or false to leave it as it is. */
  readonly perRequest?: (request: { readonly model: string }) => FollowSettings | false | undefined
  /** What happens to any conversation: compressions with their reports and receipts. */
  readonly on?: { readonly [Name in keyof ContextEvents]?: (event: ContextEvents[Name]) => void }
  /** Told what kept precis from its work; the request was sent as it was given. Without it the console is told once. */
  readonly onProblem?: (problem: unknown) => void
}

/** Also what a class or a proxy gives; undefined of anything but an object. */
export function readProperty(owner: unknown, name: string): unknown {
  return typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined
}

/** The clients that can be wrapped: a method that each of them has, the package it is of, and what wraps it. */
const CLIENTS = {
  wrapOpenAI: { method: ['chat', 'completions', 'create'], package: 'openai', made: 'OpenAI', from: 'openai' },
  wrapAnthropic: { method: ['messages', 'create'], package: '@anthropic-ai/sdk', made: 'Anthropic', from: 'anthropic' },
  wrapGoogle: { method: ['models', 'generateContent'], package: '@google/genai', made: 'GoogleGenAI', from: 'google' },
}

/** Throws `TypeError` for anything but a client that `wrapper` can wrap: it would fail, or do nothing, without a word. */
export function assertClient(client: unknown, wrapper: keyof typeof CLIENTS): void {
  const isOf = ({ method }: { readonly method: readonly string[] }) =>
    typeof method.reduce<unknown>((value, name) => readProperty(value, name), client) === 'function'
  const wanted = CLIENTS[wrapper]
  if (isOf(wanted)) return
  const other = Object.entries(CLIENTS).find(([, kind]) => isOf(kind))
  if (other) {
    const [right, kind] = other
    throw new TypeError(
      `Wrapping a client with ${wrapper}: it is a client of the package ${kind.package}. Wrap it with ${right} of @precis/core/${kind.from}.`,
    )
  }
  const type = client === null ? 'null' : typeof client
  const found = type === 'object' ? `an object without ${wanted.method.join('.')}` : type
  throw new TypeError(
    `Wrapping a client with ${wrapper}: found ${found}. Give a client of the package ${wanted.package}, such as new ${wanted.made}().`,
  )
}
