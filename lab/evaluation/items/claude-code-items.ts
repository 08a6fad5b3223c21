import { asObject, asText, type JsonObject } from '../../../packages/precis/src/files/lines.ts'
import { hasContent, type Item, readInputText } from '../../../packages/precis/src/replay/items.ts'

/**
 * Every entry of the main conversation, in the order of the file; sidechains and repeated entries
 * are left out.
 */
export function readClaudeCodeItems(rows: readonly JsonObject[]): Item[] {
  const items: Item[] = []
  const seen = new Set<string>()
  rows.forEach((entry, row) => {
    if (entry.isSidechain === true || (entry.type !== 'user' && entry.type !== 'assistant')) return
    const uuid = asText(entry.uuid)
    if (uuid !== undefined && seen.has(uuid)) return
    if (uuid !== undefined) seen.add(uuid)
    const content = asObject(entry.message)?.content
    if (entry.type === 'assistant') readAnswer(content, row, items)
    else readUserEntry(entry, content, row, items)
  })
  return items.filter(hasContent)
}

function readUserEntry(entry: JsonObject, content: unknown, row: number, items: Item[]): void {
  const kind = entry.isCompactSummary === true ? 'summary' : entry.isMeta === true ? 'meta' : 'user'
  if (typeof content === 'string') items.push({ kind, text: content, row })
  for (const block of readBlocks(content)) {
    if (block.type === 'text') items.push({ kind, text: asText(block.text) ?? '', row })
    else if (block.type === 'tool_result') {
      items.push({
        kind: 'result',
        text: readContentText(block.content),
        row,
        callId: asText(block.tool_use_id) ?? '',
      })
    }
  }
}

function readAnswer(content: unknown, row: number, items: Item[]): void {
  for (const block of readBlocks(content)) {
    if (block.type === 'text')
      items.push({ kind: 'assistant', text: asText(block.text) ?? '', row })
    else if (block.type === 'tool_use') {
      const { input } = block
      const name = asText(block.name) ?? ''
      items.push({
        kind: 'call',
        text: readInputText(input),
        row,
        name,
        input,
        callId: asText(block.id) ?? '',
      })
    }
  }
}

function readBlocks(content: unknown): JsonObject[] {
  if (!Array.isArray(content)) return []
  return content.map(asObject).filter((block) => block !== undefined)
}

/** The items that the agent would send: all from the last compaction on. */
export function keepLiveEntries(rows: readonly JsonObject[]): JsonObject[] {
  return rows.slice(
    Math.max(
      rows.findLastIndex(
        ({ type, subtype }) => type === 'system' && subtype === 'compact_boundary',
      ),
      0,
    ),
  )
}

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text'])

/** The readable text of a native content value; media leave an empty line. */
export function readContentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(readBlockText).join('\n')
  return content === null || content === undefined ? '' : JSON.stringify(content)
}

function readBlockText(block: unknown): string {
  const { type, text } = asObject(block) ?? {}
  return typeof type === 'string' && TEXT_TYPES.has(type) && typeof text === 'string' ? text : ''
}
