import { findCallPairs, type ResultSite } from '../conversation/invariants/call-pairs.ts'
import { parseJson } from '../conversation/json-text.ts'
import type { Conversation, Part, ToolCallPart, ToolResultPart } from '../conversation/message.ts'
import { opensWithFailure, saysNotWritten } from '../facts/errors.ts'
import { readOutcome } from '../facts/outcome.ts'
import { relativePath } from '../facts/paths.ts'
import { type Action, isReadingTool, readToolCall, showsContent } from '../facts/tool-calls.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { CallView } from '../strategies/strategy.ts'

type Reading = Pick<CallView, 'kind' | 'paths' | 'command' | 'isPartial'>

/** Every call with its result, in order of the messages. Linear: each call and each result is read once. */
export function findCallViews({ messages, workingDirectory }: Conversation): CallView[] {
  const pairs = findCallPairs(messages)
  const results = new Map<ToolCallPart, ResultSite>()
  for (const site of pairs.results) if (site.call) results.set(site.call.part, site)
  const views: CallView[] = []
  const places = new Map<Part, number>()
  for (const { message, part } of pairs.results) {
    if (places.has(part)) continue
    for (const [place, sibling] of messages[message]?.parts.entries() ?? []) places.set(sibling, place)
  }
  messages.forEach((message, index) => {
    message.parts.forEach((part, place) => {
      if (part.type !== 'tool-call') return
      const site = results.get(part)
      const resultPart = site && places.get(site.part)
      const { callId, name } = part
      views.push({
        message: index,
        part: place,
        callId,
        name,
        ...readCall(part, workingDirectory),
        ...readResult(site?.part, readToolCall(part, workingDirectory)),
        ...(site && resultPart !== undefined && { resultMessage: site.message, resultPart }),
      })
    })
  })
  return views
}

function readCall(call: ToolCallPart, workingDirectory: string | undefined): Reading {
  const { kind, paths, command: given } = readToolCall(call, workingDirectory)
  // A stub may name it.
  const command = given === undefined ? undefined : redactSecrets(given)
  if (command !== undefined)
    return kind === 'read' ? readShellRead(paths, command) : { kind, paths, command, isPartial: false }
  const input = typeof call.input === 'string' ? parseJson(call.input) : call.input
  const fields = new Map<string, unknown>(typeof input === 'object' && input !== null ? Object.entries(input) : [])
  const listed = paths.length > 0 ? [] : readPathList(fields)
  const all = listed.length > 0 ? listed.map((path) => relativePath(path, workingDirectory)) : paths
  return {
    kind:
      listed.length > 0 && kind === 'other' ? 'read' : kind === 'read' && !isReadingTool(call.name) ? 'other' : kind,
    paths: all,
    isPartial: kind === 'read' && [...fields].some(([name, value]) => isRange(name, value)),
  }
}

/** Tools that read several files name them in a list. */
function readPathList(fields: ReadonlyMap<string, unknown>): string[] {
  for (const name of ['paths', 'files', 'file_paths', 'include']) {
    const list = fields.get(name)
    if (Array.isArray(list)) return list.filter((path) => typeof path === 'string' && path !== '')
  }
  return []
}

const RANGE_FIELD =
  /^(?:offset|limit|start|end|head|tail|lines?|range|pages?|view_?range|(?:start|end|from|to)_?lines?(?:_.{0,40})?|line_?(?:start|end|range|count|limit).{0,40}|max_?lines)$/i

function isRange(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  // Counting lines from 0 or 1, a read from there on is a read of it all.
  return RANGE_FIELD.test(name) && !(/^(?:offset|start)/i.test(name) && (value === 0 || value === 1))
}

const FILTERS = new Set(['head', 'tail', 'sed', 'nl', 'cat'])

/** A command that shows files is a read only when it does nothing else: `cat a && npm test` prints more than `a`. */
function readShellRead(paths: readonly string[], command: string): Reading {
  const script = command.trim().replace(/^cd [^\s;&|]{1,400} ?&& ?/, '')
  const programs = script.split('|').map((step) => step.trimStart().split(' ', 1)[0] ?? '')
  const isPure = !/[;&<>`\n]|\$\(/.test(script) && programs.every((program) => FILTERS.has(program))
  const isPartial = !programs.every((program) => program === 'cat' || program === 'nl')
  return isPure
    ? { kind: 'read', paths, command, isPartial }
    : { kind: 'command', paths: [], command, isPartial: false }
}

function readResult(
  result: ToolResultPart | undefined,
  action: Action,
): Pick<CallView, 'failed' | 'exitCode' | 'output'> {
  if (!result) return { failed: undefined }
  const isContent = showsContent(action)
  const { failed, exitCode, text } = readOutcome(result, isContent)
  // What is read may begin with any words.
  const saysSo = !isContent && (opensWithFailure(text) || (action.kind === 'write' && saysNotWritten(text)))
  const hasFailed = failed || (exitCode === undefined && saysSo)
  return { failed: hasFailed, output: text, ...(exitCode !== undefined && { exitCode }) }
}
