import { copyContent } from '../context/same-content.ts'
import type { FollowerOptions, HostRequest } from './follower.ts'

/** Everything except the messages that decides whether a request belongs to a conversation. */
export interface Frame
  extends Pick<HostRequest, 'model' | 'system' | 'tools'>,
    // As the host gave it: a context of another window decides otherwise.
    Pick<FollowerOptions, 'windowTokens'> {
  readonly key: string
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

/** As it is now: hosts write into what they have given. */
export function frameOf(
  { model, key = '', system, tools, settings }: HostRequest,
  options: FollowerOptions,
): Frame {
  const { pins = [], unpins = [], windowTokens } = { ...options, ...settings }
  const given = { pins: [...new Set(pins)], unpins: [...new Set(unpins)], windowTokens }
  return { model, key, system: copyContent(system), tools: tools && [...tools], ...given }
}
