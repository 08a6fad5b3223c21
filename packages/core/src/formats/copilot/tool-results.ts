/** What came back from a tool, as the extension stores it: text, trees of prompt elements, data. */
import { toJsonText } from '../../conversation/json-text.ts'
import { type ContentPart, renderPart, type ToolResultPart } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import { listObjects } from './storage.ts'

// How VS Code marks values that it turns back into instances.
const RESULT_MARK = 20
const TEXT_MARK = 21

export function readOutput(result: JsonObject): ContentPart[] {
  return listObjects(result.content).map(readContent)
}

function readContent(native: JsonObject): ContentPart {
  const { value, mimeType } = native
  if (typeof value === 'string') return { type: 'text', text: value, native }
  if (isJsonObject(value) && isJsonObject(value.node)) return { type: 'text', text: renderTree(value.node), native }
  // Of data the extension sends with later requests that it was there, never the data.
  if (typeof mimeType === 'string') return { type: 'opaque', kind: 'data', text: toJsonText({ mimeType }), native }
  return { type: 'opaque', kind: 'content', text: toJsonText(native), native }
}

/** The extension stores a tool that failed as words. */
export function isFailure(result: JsonObject): boolean {
  if (result.hasError === true || result.isError === true) return true
  const [first] = listObjects(result.content)
  return typeof first?.value === 'string' && /^ERROR(?: while calling tool)?: /.test(first.value)
}

/** The texts of a tree in order, each on a line of its own where it says so and the one before it did not end its line. */
function renderTree(root: JsonObject): string {
  const texts: string[] = []
  const open: unknown[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const text = readMember(node, 'text')
    if (typeof text === 'string') {
      const isOpen = texts.length > 0 && texts.at(-1)?.endsWith('\n') === false
      if (isOpen && readMember(node, 'lineBreakBefore')) texts.push('\n')
      texts.push(text)
    }
    const children = readMember(node, 'children')
    if (Array.isArray(children)) for (let index = children.length - 1; index >= 0; index--) open.push(children[index])
  }
  return texts.join('')
}

/** The stored result itself where the part says the same. */
export function encodeResult({ output }: ToolResultPart, before: JsonObject | undefined): JsonObject {
  const known = listObjects(before?.content)
  const content = output.map((part) => {
    const native = isJsonObject(part.native) ? part.native : undefined
    const isSame = native && renderPart(readContent(native)) === renderPart(part)
    return isSame ? native : { $mid: TEXT_MARK, value: renderPart(part) }
  })
  const isSame = content.length === known.length && content.every((element, index) => element === known[index])
  return isSame && before ? before : { ...(before ?? { $mid: RESULT_MARK }), content }
}
