/** What of the agent's answers the user asked for, or spoke of later. */

import { readOwnText } from '../conversation/injected-text.ts'
import { type Message, readText } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { findTurns, type Turn } from '../conversation/turns.ts'
import { splitBlocks } from './answer-blocks.ts'
import { type AnswerSignals, readAnswer, separateOptions } from './answers.ts'
import type { Readings } from './readings.ts'
import { Requests } from './requests.ts'

/** A line of answers, and the positions of the messages that have it. */
export interface AnswerLine {
  readonly text: string
  readonly messages: readonly number[]
}

const LONGEST_BLOCK = 2_000
const SHORTEST_LINE = 8

/** The lines that matter in the closing words of each turn. */
export function* findAnswerLines(
  messages: readonly Message[],
  readings?: Readings,
): Steps<AnswerLine[]> {
  const turns = findTurns(messages)
  const closings = turns.map((turn) => findClosing(messages, turn))
  const requests = new Requests(
    new Map(turns.map(({ start }, turn) => [turn, readOwnText(readText(messages[start]!))])),
    {
      readings,
      unanswered: new Set(closings.flatMap(({ length }, turn) => (length === 0 ? turn : []))),
    },
  )
  const lines = new Map<string, number[]>()
  for (const [turn, closing] of closings.entries()) {
    yield
    for (const message of closing) {
      const split = splitBlocks(readText(messages[message]!), LONGEST_BLOCK, () => true)
      const blocks = separateOptions({ turn, blocks: split }, requests)
      for (const [index, signals] of readAnswer({ turn, blocks }, requests).entries()) {
        if (!matters(signals)) continue
        for (const { text: line } of blocks[index]!) {
          const text = line.trim()
          if (text.length >= SHORTEST_LINE) {
            const known = lines.get(text) ?? []
            lines.set(text, known)
            if (known.at(-1) !== message) known.push(message)
          }
        }
      }
    }
  }
  return Array.from(lines, ([text, at]) => ({ text, messages: at }))
}

/** The agent's messages after the last call of a turn. */
function findClosing(messages: readonly Message[], { start, end }: Turn): number[] {
  let first = end
  while (first > start + 1 && !messages[first - 1]!.parts.some(({ type }) => type === 'tool-call'))
    first--
  return Array.from({ length: end - first }, (_, index) => first + index).filter((message) => {
    const { role, origin } = messages[message]!
    return role === 'assistant' && origin === 'agent'
  })
}

const matters = ({ asked, isReferred, isProposal, settles }: AnswerSignals): boolean =>
  asked > 0 || isReferred || isProposal || settles
