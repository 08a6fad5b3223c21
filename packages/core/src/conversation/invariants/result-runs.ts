import type { Message } from '../message.ts'

/** For each position the end, exclusive, of the run of tool messages that begins right behind it. Linear. */
export function findResultRunEnds(messages: readonly Message[]): number[] {
  const ends = messages.map(() => 0)
  let end = messages.length
  for (let index = messages.length - 1; index >= 0; index--) {
    ends[index] = end
    if (messages[index]?.role !== 'tool') end = index
  }
  return ends
}
