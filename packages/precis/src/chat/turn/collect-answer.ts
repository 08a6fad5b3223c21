import type { AssistantModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { CalledTool } from '../history/repair-end.ts'

export interface CalledInput extends CalledTool {
  readonly input: unknown
  /** Why the call cannot be made: its input is no JSON, or there is no such tool. */
  readonly fault: string | undefined
}

/** An answer as it comes. */
export interface CollectedAnswer {
  add(part: TextStreamPart<ToolSet>): void
  /** Undefined when there is nothing in it. An unfinished answer loses what is of no use unless it is whole. */
  finish(isWhole: boolean): AssistantModelMessage | undefined
  /** The finished ones. */
  readonly calls: readonly CalledInput[]
}

type Content = Exclude<AssistantModelMessage['content'], string>
type Block = Content[number]
type SpokenBlock = Extract<Block, { type: 'text' | 'reasoning' }>
type Metadata = Extract<TextStreamPart<ToolSet>, { type: 'text-end' }>['providerMetadata']

export function collectAnswer(): CollectedAnswer {
  const blocks: Block[] = []
  const open = new Map<string, SpokenBlock>()
  const calls: CalledInput[] = []
  const begin = (type: 'text' | 'reasoning', id: string, metadata: Metadata) => {
    const block: SpokenBlock = withMetadata({ type, text: '' }, metadata)
    open.set(`${type} ${id}`, block)
    blocks.push(block)
    return block
  }
  const grow = (type: 'text' | 'reasoning', id: string, text: string, metadata: Metadata) => {
    const block = open.get(`${type} ${id}`) ?? begin(type, id, metadata)
    block.text += text
    // Signatures come with the last piece.
    if (metadata) block.providerOptions = { ...block.providerOptions, ...metadata }
  }
  return {
    calls,
    add: (part) => {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata)
          return
        case 'text-delta':
        case 'reasoning-delta':
          return grow(part.type === 'text-delta' ? 'text' : 'reasoning', part.id, part.text, part.providerMetadata)
        case 'text-end':
        case 'reasoning-end':
          return grow(part.type === 'text-end' ? 'text' : 'reasoning', part.id, '', part.providerMetadata)
        case 'file': {
          const { base64, mediaType } = part.file
          blocks.push(withMetadata({ type: 'file', data: base64, mediaType }, part.providerMetadata))
          return
        }
        case 'tool-call': {
          const isInvalid = part.invalid === true
          // Providers take nothing but an object.
          const input: unknown = typeof part.input === 'object' && part.input !== null ? part.input : {}
          const { toolCallId: callId, toolName: name } = part
          blocks.push(
            withMetadata({ type: 'tool-call', toolCallId: callId, toolName: name, input }, part.providerMetadata),
          )
          calls.push({ callId, name, input, fault: isInvalid ? explainFault(part.error) : undefined })
          return
        }
        default:
          return
      }
    },
    finish: (isWhole) => {
      const kept = (isWhole ? blocks : cutOff(blocks)).filter((block) => block.type !== 'text' || block.text !== '')
      return kept.length === 0 ? undefined : { role: 'assistant', content: kept }
    },
  }
}

/**
 * Reasoning may travel only whole and with what it led to, and text under an id of the provider's only as that stored it.
 *
 *   reasoning, text, call a, reasoning, te…        kept: reasoning, text, call a, te…
 */
function cutOff(blocks: readonly Block[]): Block[] {
  const lastCall = blocks.findLastIndex((block) => block.type === 'tool-call')
  return blocks.flatMap((block, index) => {
    if (index <= lastCall) return [block]
    return block.type === 'text' ? [{ type: 'text', text: block.text }] : []
  })
}

function withMetadata<B extends Block>(block: B, metadata: Metadata): B {
  return metadata ? { ...block, providerOptions: metadata } : block
}

function explainFault(error: unknown): string {
  return error instanceof Error ? error.message : 'the call cannot be read'
}
