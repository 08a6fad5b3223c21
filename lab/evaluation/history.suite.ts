/**
 * Small histories for the measures, written by hand, and one session long enough to be evaluated.
 */

import { findDemanded } from '../../packages/precis/src/replay/carried-names.ts'
import { type Item, knowEntities, readInputText } from '../../packages/precis/src/replay/items.ts'
import { isGeneralKnowledge } from './entities/general-knowledge.ts'
import { createScoredText, type Measure, type Score } from './measures/measure.ts'
import type { Point } from './point.ts'

const WORKING_DIRECTORY = '/work/shop'

export const user = (text: string): Item => ({ kind: 'user', text, row: 0 })
export const assistant = (text: string): Item => ({ kind: 'assistant', text, row: 0 })
export const result = (text: string): Item => ({ kind: 'result', text, row: 0 })
export const call = (name: string, input: unknown): Item => ({
  kind: 'call',
  name,
  input,
  text: readInputText(input),
  row: 0,
})

/** Without the conditions that a real point has to meet. */
export function pointOf(past: readonly Item[], future: readonly Item[] = []): Point {
  const known = knowEntities(past, WORKING_DIRECTORY)
  const later = knowEntities(future, WORKING_DIRECTORY)
  const { demanded } = findDemanded(known, later, isGeneralKnowledge)
  return { past: known, future: later, workingDirectory: WORKING_DIRECTORY, demanded }
}

export function scoreOf(measure: Measure, point: Point, text: string): Score {
  return measure.prepare(point)(createScoredText(text, WORKING_DIRECTORY))
}

const MODULES = 16
const LINES = 70

/** A session of Claude Code: reads many modules, then edits them from memory and runs the tests. */
export function createRecordedSession(sessionId = 'aaaaaaaa-1111-4222-8333-444444444444'): string {
  const entries: object[] = []
  const add = (type: 'user' | 'assistant', content: unknown, more: object = {}) => {
    const uuid = `00000000-0000-4000-8000-${(entries.length + 1).toString(16).padStart(12, '0')}`
    const parentUuid =
      entries.length === 0
        ? null
        : `00000000-0000-4000-8000-${entries.length.toString(16).padStart(12, '0')}`
    const timestamp = new Date(Date.UTC(2026, 3, 1) + entries.length * 1000).toISOString()
    const fixed = {
      isSidechain: false,
      userType: 'external',
      cwd: WORKING_DIRECTORY,
      sessionId,
      version: '2.1.110',
    }
    const message = {
      role: type,
      content,
      ...(type === 'assistant' && { model: 'claude-opus-4-5', id: `msg_${uuid}` }),
    }
    entries.push({ parentUuid, ...fixed, type, message, uuid, timestamp, ...more })
  }
  const run = (id: string, name: string, input: object, output: string) => {
    add('assistant', [{ type: 'tool_use', id, name, input }])
    add('user', [{ type: 'tool_result', tool_use_id: id, content: output }])
  }
  add('user', 'Please add the tax to every module. Never touch the generated files in dist.')
  for (let module = 0; module < MODULES; module++) {
    const file_path = `${WORKING_DIRECTORY}/src/module_${module}.ts`
    run(`toolu_r${module}`, 'Read', { file_path }, createSource(module))
    run(
      `toolu_t${module}`,
      'Bash',
      { command: 'npm run test:tax' },
      `Error: netPrice_${module} is not a number here`,
    )
  }
  for (let module = 0; module < MODULES; module++) {
    const file_path = `${WORKING_DIRECTORY}/src/module_${module}.ts`
    const old_string = createLine(module, 3)
    const new_string = `export const netPrice_${module} = withTax(1)`
    run(
      `toolu_e${module}`,
      'Edit',
      { file_path, old_string, new_string },
      'The file has been updated.',
    )
    run(`toolu_u${module}`, 'Bash', { command: 'npm run test:tax' }, 'all passed')
  }
  return `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`
}

function createSource(module: number): string {
  return Array.from(
    { length: LINES },
    (_, line) => `${line + 1}\t${createLine(module, line)}`,
  ).join('\n')
}

function createLine(module: number, line: number): string {
  return `export const grossPrice_${module}_${line} = shippingCost(${module}, ${line}) + handlingFee`
}
