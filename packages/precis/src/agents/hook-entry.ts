/** A hook that runs a command before the agent compacts, in the shape that Claude Code, Codex and Gemini CLI share. */

import type { Agent } from '../sessions/agent-home.ts'
import { asObject } from '../sessions/lines.ts'
import type { JsonEntry, JsonValue, StartCommand } from './integration.ts'
import { isOwnHookLine, renderShellLine } from './start-command.ts'

export interface HookPlace {
  readonly path: string
  /** The agent's name of the event. */
  readonly event: string
  readonly agent: Agent
  /** In the unit of the agent. */
  readonly timeout: number
  /** Which occasions of the event, where not all are meant. */
  readonly matcher?: string
  readonly what: string
  /** What the agent wants beside the command. */
  readonly more?: Readonly<Record<string, JsonValue>>
}

export function createHookEntry(place: HookPlace, command: StartCommand): JsonEntry {
  const { path, event, agent, timeout, matcher, what, more } = place
  const hook = { ...more, type: 'command', command: renderShellLine(command, ['hook', agent]), timeout }
  return {
    type: 'json',
    path,
    what,
    names: ['hooks', event],
    isElement: true,
    value: { ...(matcher !== undefined && { matcher }), hooks: [hook] },
    isOwn: isOwnGroup,
  }
}

/** A group in which somebody put another hook beside ours is theirs. */
function isOwnGroup(value: unknown): boolean {
  const hooks: unknown = asObject(value)?.hooks
  return Array.isArray(hooks) && hooks.length === 1 && isOwnHookLine(asObject(hooks[0])?.command)
}
