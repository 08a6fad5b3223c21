import { type Part, renderPart } from '../../conversation/message.ts'
import { encodePart, parseBlocks } from '../anthropic-messages/blocks.ts'
import { isJsonObject } from '../json/object.ts'

/** The `native` of a part: the block it was parsed from, and where that block is. */
export interface NativeBlock {
  /** Line of the entry. */
  readonly record: number
  /** Position in `message.content`; undefined when the content is a string or the block lies inside a result. */
  readonly index: number | undefined
  readonly block: unknown
}

/** The parts of `message.content`, a string or a list of blocks. */
export function readContent(content: unknown, record: number): Part[] {
  if (typeof content === 'string') {
    return [{ type: 'text', text: content, native: { record, index: undefined, block: content } satisfies NativeBlock }]
  }
  return parseBlocks(content, (block, index): NativeBlock => ({ record, index, block }))
}

export function isNativeBlock(native: unknown): native is NativeBlock {
  return isJsonObject(native) && typeof native.record === 'number' && 'block' in native
}

/** The block a part is written as. Fields that a part does not model stay as its native block has them. */
export function encodeBlock(part: Part): unknown {
  const block = encodePart(part, (native) => (isNativeBlock(native) ? native.block : undefined))
  return block ?? { type: 'text', text: renderPart(part) }
}
