/**
 * The things that the agent needed of the part before a cut, found in its later actions;
 * definitions: lab/README.md.
 */
import { isConclusion } from '../../packages/core/src/facts/is-conclusion.ts'
import { isBinding } from '../../packages/core/src/facts/sentences.ts'
import { findContentWords } from '../../packages/precis/src/replay/carried-names.ts'
import { normalizeLine } from '../evaluation/measures/edited-lines.ts'
import { findSources } from './context-words.ts'
import type { Step } from './record.ts'

export interface Needs {
  /**
   * Names that later calls use unseen, with the words they stood among; `isRare`: in at most three
   * places.
   */
  readonly carried: readonly {
    entity: string
    sources: readonly ReadonlySet<string>[]
    isRare: boolean
  }[]
  /** Lines that later edits had to know. */
  readonly anchors: readonly string[]
  /** Commands that were run again. */
  readonly commands: readonly string[]
  /** Words of each sentence of the user that asks or forbids. */
  readonly demands: readonly ReadonlySet<string>[]
  /** Words of the newest error lines. */
  readonly errors: readonly ReadonlySet<string>[]
  /**
   * Words of each sentence with which the agent closed its newest turns, or decided or explained
   * something in them.
   */
  readonly conclusions: readonly ReadonlySet<string>[]
}

const HORIZON_CALLS = 100
const MOST_SOURCES = 12
const FEWEST_CALLS = 10
const FEWEST_NAMES = 6
const RARE = 3
const SHORTEST_ANCHOR = 12
const MOST_ERRORS = 5
const CONCLUDED_TURNS = 4

/** Undefined where too little follows to tell. */
export function findNeeds(before: readonly Step[], after: readonly Step[]): Needs | undefined {
  const counts = new Map<string, number>()
  const lines = new Set<string>()
  for (const step of before) {
    for (const entity of step.entities) counts.set(entity, (counts.get(entity) ?? 0) + 1)
    for (const line of step.text.split('\n')) lines.add(normalizeLine(line))
  }
  const ran = new Set(before.map(commandOf))
  const seen = {
    entities: new Set<string>(),
    lines: new Set<string>(),
    commands: new Set<string>(),
  }
  const demanded = new Set<string>()
  const anchors = new Set<string>()
  const commands = new Set<string>()
  let calls = 0
  for (const step of after) {
    if (step.kind === 'call') {
      calls++
      for (const entity of step.entities)
        if (counts.has(entity) && !seen.entities.has(entity)) demanded.add(entity)
      for (const line of replacedLines(step))
        if (lines.has(line) && !seen.lines.has(line)) anchors.add(line)
      const command = commandOf(step)
      if (command !== undefined && command.length >= 8) {
        if (ran.has(command) && !seen.commands.has(command)) commands.add(command)
        seen.commands.add(command)
      }
    }
    if (step.kind === 'words') continue
    for (const entity of step.entities) seen.entities.add(entity)
    for (const line of step.text.split('\n')) seen.lines.add(normalizeLine(line))
    if (calls >= HORIZON_CALLS) break
  }
  if (calls < FEWEST_CALLS || demanded.size < FEWEST_NAMES) return undefined
  const newestFirst = before.toReversed()
  const carried = [...demanded].flatMap((entity) => {
    const texts = newestFirst.filter((step) => step.entities.has(entity)).map((step) => step.text)
    const sources = findSources(entity, texts, MOST_SOURCES)
    return sources.length > 0
      ? [{ entity, sources, isRare: (counts.get(entity) ?? 0) <= RARE }]
      : []
  })
  return {
    carried,
    anchors: [...anchors],
    commands: [...commands],
    demands: findDemands(before),
    errors: findErrors(newestFirst),
    conclusions: findConclusions(before),
  }
}

function flattenCommand(command: string): string {
  return command.replace(/\s+/g, ' ').trim()
}

function commandOf({ kind, input }: Step): string | undefined {
  if (kind !== 'call' || typeof input !== 'object' || input === null) return undefined
  const command = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined
  const last: unknown = Array.isArray(command) ? command.at(-1) : command
  return typeof last === 'string' ? flattenCommand(last) : undefined
}

const REPLACED_FIELDS = ['old_string', 'oldText', 'old_str', 'oldString', 'search']

function replacedLines({ input, text }: Step): string[] {
  const lines: string[] = []
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value))
      if (REPLACED_FIELDS.includes(key) && typeof inner === 'string')
        lines.push(...inner.split('\n'))
  }
  collect(input)
  if (
    typeof input === 'object' &&
    input !== null &&
    'edits' in input &&
    Array.isArray(input.edits)
  ) {
    input.edits.forEach(collect)
  }
  if (text.includes('*** Begin Patch')) {
    for (const line of text.split('\n')) {
      if (/^[ -]/.test(line) && !line.startsWith('---')) lines.push(line.slice(1))
    }
  }
  return lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_ANCHOR)
}

function splitSentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim())
}

function findDemands(before: readonly Step[]): Set<string>[] {
  return before
    .filter((step) => step.kind === 'user' && step.text.length <= 6_000)
    .flatMap((step) => splitSentences(step.text))
    .filter((sentence) => sentence.length >= 12 && sentence.length <= 300 && isBinding(sentence))
    .map(findContentWords)
    .filter((words) => words.size >= 4)
}

function findErrors(newestFirst: readonly Step[]): Set<string>[] {
  const errors = new Set<string>()
  for (const step of newestFirst) {
    if (step.kind !== 'result') continue
    for (const raw of step.text.split('\n').toReversed()) {
      const line = normalizeLine(raw)
      if (line.length < 20 || line.length > 240) continue
      if (/\b(?:error|panic|exception|traceback|FAIL)\b[:\s]/i.test(line)) errors.add(line)
      if (errors.size >= MOST_ERRORS) return [...errors].map(findContentWords)
    }
  }
  return [...errors].map(findContentWords)
}

function findConclusions(before: readonly Step[]): Set<string>[] {
  const requests = before.flatMap(({ kind }, index) => (kind === 'user' ? [index] : []))
  const recent = before.slice(requests.at(-CONCLUDED_TURNS) ?? 0)
  return recent
    .flatMap(({ kind, text }, index) => {
      if (kind !== 'words') return []
      const next = recent[index + 1]
      const closes = next === undefined || next.kind === 'user'
      return splitSentences(text).filter((sentence) => closes || isConclusion(sentence))
    })
    .filter((sentence) => sentence.length >= 30 && sentence.length <= 300)
    .map(findContentWords)
    .filter((words) => words.size >= 4)
}
