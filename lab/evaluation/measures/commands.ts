import { asObject } from '../../../packages/precis/src/files/lines.ts'
import { HORIZON_CALLS } from '../../../packages/precis/src/replay/carried-names.ts'
import type { Item } from '../../../packages/precis/src/replay/items.ts'
import type { Point } from '../point.ts'
import type { Measure } from './measure.ts'

/** Mostly how the project is built, tested and linted. */
export const commands: Measure = {
  name: 'cmd',
  title: 'shell commands that were run again',
  prepare(point) {
    const needed = findRepeatedCommands(point)
    return ({ text }) => {
      const there = joinWhitespace(text)
      return {
        kept: needed.filter((command) => there.includes(command)).length,
        total: needed.length,
      }
    }
  },
}

const LEAST_CHARACTERS = 8

function findRepeatedCommands({ past, future }: Point): string[] {
  const known = new Set(past.map(readCommand))
  const seenAgain = new Set<string>()
  const needed = new Set<string>()
  let calls = 0
  for (const item of future) {
    if (item.kind === 'call') calls++
    const command = readCommand(item)
    if (command) {
      const isNeeded =
        known.has(command) && !seenAgain.has(command) && command.length >= LEAST_CHARACTERS
      if (isNeeded) needed.add(command)
      seenAgain.add(command)
    }
    if (calls >= HORIZON_CALLS) break
  }
  return [...needed]
}

function readCommand({ kind, input }: Item): string | undefined {
  const fields = kind === 'call' ? asObject(input) : undefined
  const value = fields?.command || fields?.cmd
  const command: unknown = Array.isArray(value) ? value.at(-1) : value
  return typeof command === 'string' ? joinWhitespace(command).trim() : undefined
}

function joinWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ')
}
