/** What the screen shows of an answer: copies of its words and of its tools' output, changed along with them. */
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { isSameList } from '../json/same-list.ts'
import { readShownPart } from './read-messages.ts'

export interface ShownChanges {
  /** All that is said now; undefined when the words are the same. */
  readonly text: string | undefined
  /** As the screen has them: `listShownIds`. */
  readonly callIds: ReadonlySet<string>
  readonly changedCallIds: ReadonlySet<string>
}

/** The extension adds `__vscode-` and a number to the ids of its calls; the screen has them without. */
export function listShownIds(callIds: readonly string[]): Set<string> {
  return new Set(callIds.flatMap((id) => [id, id.split('__vscode', 1)[0] ?? id]))
}

export function changeShownParts(response: unknown, changes: ShownChanges): unknown {
  if (typeof response === 'string') return changes.text ?? response
  const before: readonly unknown[] = Array.isArray(response) ? response : []
  let { text } = changes
  const after: unknown[] = []
  // Edits are shown behind the tools that made them, and go when all of these go.
  let tools = { kept: 0, gone: 0 }
  for (const part of before) {
    const isText = readShownPart(part) !== undefined
    if (isText && !isFence(part)) tools = { kept: 0, gone: 0 }
    if (isText && changes.text !== undefined) {
      if (text) after.push(changeText(part, text))
      text = ''
      continue
    }
    const kept = changeTool(part, changes)
    if (isTool(part)) tools[kept === undefined ? 'gone' : 'kept']++
    const isOrphaned = isEdit(part) && tools.gone > 0 && tools.kept === 0
    if (kept !== undefined && !isOrphaned) after.push(kept)
  }
  if (text) after.push({ value: text })
  return isSameList(after, before) ? response : after
}

function isTool(part: unknown): boolean {
  return readMember(part, 'kind') === 'toolInvocationSerialized'
}

const EDITS = new Set<unknown>(['undoStop', 'codeblockUri', 'textEditGroup', 'notebookEditGroup', 'workspaceEdit'])

function isEdit(part: unknown): boolean {
  return EDITS.has(readMember(part, 'kind')) || isFence(part)
}

/** Stands around an edit. */
function isFence(part: unknown): boolean {
  return readMember(part, 'kind') === undefined && readMember(part, 'value') === '\n```\n'
}

function changeText(part: unknown, text: string): unknown {
  if (isJsonObject(part) && typeof part.value === 'string') return { ...part, value: text }
  return { value: text }
}

/** Undefined for a tool that is gone, and for the thought that led to it. */
function changeTool(part: unknown, { callIds, changedCallIds }: ShownChanges): unknown {
  if (!isJsonObject(part)) return part
  const { kind, toolCallId } = part
  if (kind === 'prepareToolInvocation') return callIds.size > 0 ? part : undefined
  const thoughtOf = kind === 'thinking' ? readMember(part.metadata, 'toolId') : undefined
  if (typeof thoughtOf === 'string') return callIds.has(thoughtOf) ? part : undefined
  if (kind !== 'toolInvocationSerialized' || typeof toolCallId !== 'string') return part
  if (!callIds.has(toolCallId)) return undefined
  return changedCallIds.has(toolCallId) ? withoutOutput(part) : part
}

/** Details and output of terminals repeat the result. */
function withoutOutput(part: JsonObject): JsonObject {
  const data = part.toolSpecificData
  const kept = isJsonObject(data) && 'terminalCommandOutput' in data ? { terminalCommandOutput: undefined } : undefined
  const shown = kept && isJsonObject(data) ? { ...part, toolSpecificData: withMembers(data, kept) } : part
  return 'resultDetails' in shown ? withMembers(shown, { resultDetails: undefined }) : shown
}
