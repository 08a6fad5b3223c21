/** What of the agent's answers the user asked for, or spoke of later. */

import { readOwnText } from '../conversation/injected-text.ts'
import { type Message, readText } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { findTurns } from '../conversation/turns.ts'
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
  const requests = new Requests(
    new Map(turns.map(({ start }, turn) => [turn, readOwnText(readText(messages[start]!))])),
    readings,
  )
  const lines = new Map<string, number[]>()
  for (const [turn, { start, end }] of turns.entries()) {
    yield
    let first = end
    while (
      first > start + 1 &&
      !messages[first - 1]!.parts.some(({ type }) => type === 'tool-call')
    )
      first--
    for (let message = first; message < end; message++) {
      const { role, origin } = messages[message]!
      if (role !== 'assistant' || origin !== 'agent') continue
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

const matters = ({ asked, isReferred, isProposal, settles }: AnswerSignals): boolean =>
  asked > 0 || isReferred || isProposal || settles
