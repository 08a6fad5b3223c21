import type { FollowerOptions, HostRequest } from './follower.ts'
import { copyContent } from './live-history.ts'

/** Everything beside the messages that decides whether a request belongs to a conversation. */
export type Frame = Pick<HostRequest, 'model' | 'system' | 'tools'> & {
  readonly key: string
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

/** As it is now: hosts write into what they have given. */
export function frameOf(
  { model, key = '', system, tools, settings }: HostRequest,
  options: FollowerOptions,
): Frame {
  const { pins = [], unpins = [] } = { ...options, ...settings }
  const pinned = { pins: [...new Set(pins)], unpins: [...new Set(unpins)] }
  return { model, key, system: copyContent(system), tools: tools && [...tools], ...pinned }
}
