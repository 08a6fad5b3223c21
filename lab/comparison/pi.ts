/** Compaction of pi, by its own code; only its model is stubbed. */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Conversation } from '@precis/core'
import { asObject, asText, type JsonObject } from '../../packages/precis/src/files/lines.ts'
import { SUMMARY_SIZE, writeCarefulSummary } from './careful-summary.ts'
import { type ComparedMethod, withoutRecords } from './method.ts'

type Messages = Conversation['messages']
type PiMessage = JsonObject & { readonly role: string }

interface PiEntry {
  readonly type: 'message'
  readonly id: string
  readonly parentId: string | null
  readonly timestamp: string
  readonly message: PiMessage
}

interface Preparation {
  readonly firstKeptEntryId: string
  readonly messagesToSummarize: readonly PiMessage[]
  readonly turnPrefixMessages: readonly PiMessage[]
}

interface Settings {
  readonly keepRecentTokens: number
}

/** The parts of pi that this calls. */
interface Pi {
  readonly DEFAULT_COMPACTION_SETTINGS: Settings
  prepareCompaction(entries: readonly PiEntry[], settings: Settings): Preparation | undefined
  compact(
    preparation: Preparation,
    model: { readonly reasoning: boolean },
    apiKey: undefined,
    headers: undefined,
    instructions: undefined,
    signal: undefined,
    thinkingLevel: undefined,
    ask: (model: unknown, context: Prompt) => { result(): Promise<Answer> },
  ): Promise<{ readonly summary: string }>
  serializeConversation(messages: readonly PiMessage[]): string
  convertToLlm(messages: readonly PiMessage[]): readonly { readonly content: readonly Text[] }[]
}

interface Text {
  readonly type: 'text'
  readonly text: string
}

interface Prompt {
  readonly messages: readonly { readonly content: readonly Text[] }[]
}

interface Answer {
  readonly stopReason: 'stop'
  readonly content: readonly Text[]
}

/** `bin` is the folder of its program, as npm installs it: `node_modules/.bin`. */
export async function loadPiMethods(bin: string): Promise<readonly ComparedMethod[]> {
  const folder = join(realpathSync(bin), '..', '@earendil-works', 'pi-coding-agent')
  const load = (path: string) => import(pathToFileURL(join(folder, 'dist/core', path)).href)
  const pi: Pi = { ...(await load('compaction/index.js')), ...(await load('messages.js')) }
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return [
    createCompaction(pi, `pi ${version}, an empty summary`, async () => ''),
    createCompaction(pi, `pi ${version}, a careful summary of what it sends`, writeCarefulSummary),
  ]
}

function createCompaction(pi: Pi, name: string, write: typeof writeCarefulSummary): ComparedMethod {
  return {
    name,
    takesSize: true,
    stubsModel: true,
    compress: async (conversation, size) => {
      const summarySize = Math.min(SUMMARY_SIZE, Math.floor(size / 2))
      const all = withoutRecords(conversation)
      // pi makes the prompt of the system anew for each request.
      const system = all.filter(({ role }) => role === 'system')
      const said = all.filter(({ role }) => role !== 'system')
      const written = writeMessages(said)
      const settings = { ...pi.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens: size - summarySize }
      const preparation = pi.prepareCompaction(written.entries, settings)
      if (!preparation) throw new Error('Comparing: pi has nothing to compact.')
      const kept = said.slice(Number(preparation.firstKeptEntryId))
      const sent = [preparation.messagesToSummarize, preparation.turnPrefixMessages].filter(
        ({ length }) => length > 0,
      )
      if (sent.length === 0) return conversation
      const waiting = [...sent]
      const ask = (_model: unknown, { messages }: Prompt) => ({
        async result(): Promise<Answer> {
          const [asked] = waiting.splice(0, 1)
          const prompt = messages.at(-1)?.content[0]?.text
          if (!asked || !prompt?.includes(pi.serializeConversation(asked)))
            throw new Error('Comparing: pi sends other messages than these.')
          const positions = new Set(asked.map((message) => written.positions.get(message)))
          const span = said.filter((_, position) => positions.has(position)).map(clipAsPi)
          const room = Math.floor(summarySize / sent.length)
          const text = await write(conversation, span, kept, room)
          return { stopReason: 'stop', content: [{ type: 'text', text }] }
        },
      })
      const none = undefined
      const model = { reasoning: false }
      const { summary } = await pi.compact(preparation, model, none, none, none, none, none, ask)
      const [message] = pi.convertToLlm([{ role: 'compactionSummary', summary, timestamp: 0 }])
      const text = message?.content.map((part) => part.text).join('') ?? ''
      const replacement: Messages[number] = {
        role: 'user',
        origin: 'synthetic',
        parts: [{ type: 'text', text }],
      }
      return { ...conversation, messages: [...system, replacement, ...kept] }
    },
  }
}

interface Written {
  /** The id of the first entry of a message is its position. */
  readonly entries: readonly PiEntry[]
  readonly positions: ReadonlyMap<PiMessage, number>
}

function writeMessages(messages: Messages): Written {
  const entries: PiEntry[] = []
  const positions = new Map<PiMessage, number>()
  for (const [position, message] of messages.entries()) {
    for (const [index, written] of writeMessage(message).entries()) {
      const id = index === 0 ? String(position) : `${position}-${index}`
      const parentId = entries.at(-1)?.id ?? null
      entries.push({
        type: 'message',
        id,
        parentId,
        timestamp: new Date(0).toISOString(),
        message: written,
      })
      positions.set(written, position)
    }
  }
  return { entries, positions }
}

function writeMessage(message: Messages[number]): PiMessage[] {
  if (message.role === 'tool') {
    return message.parts.flatMap((part) => {
      if (part.type !== 'tool-result') return []
      const { callId, name, output, isError } = part
      const content = output.flatMap(writePart)
      return [
        {
          role: 'toolResult',
          toolCallId: callId,
          toolName: name ?? '',
          content,
          isError,
          timestamp: 0,
        },
      ]
    })
  }
  const { role, parts } = message
  return [{ role, content: parts.flatMap(writePart), timestamp: 0 }]
}

function writePart(part: Messages[number]['parts'][number]): JsonObject[] {
  switch (part.type) {
    case 'text':
    case 'opaque':
      return [{ type: 'text', text: part.text }]
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text }]
    case 'tool-call':
      return [
        { type: 'toolCall', id: part.callId, ...nameAsPi(part.name, asObject(part.input) ?? {}) },
      ]
    default:
      return []
  }
}

// pi lists the files of its own tools beside its summary; by these names those of Claude Code are
// in it too.
const PI_NAMES: ReadonlyMap<string, string> = new Map([
  ['Read', 'read'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Write', 'write'],
])

function nameAsPi(name: string, input: JsonObject): JsonObject {
  const own = PI_NAMES.get(name)
  const path = asText(input.file_path)
  return own && path ? { name: own, arguments: { ...input, path } } : { name, arguments: input }
}

// pi sends no more of a result to the model that summarizes.
const RESULT_CHARACTERS = 2000

/** What the model that summarizes gets of a message: no reasoning either. */
function clipAsPi(message: Messages[number]): Messages[number] {
  if (message.role !== 'tool')
    return {
      ...message,
      parts: message.parts.filter(({ type }) => type !== 'reasoning'),
    } as typeof message
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-result') return part
    let room = RESULT_CHARACTERS
    const output = part.output.map((piece) => {
      if (piece.type !== 'text') return piece
      const text = piece.text.slice(0, room)
      room -= text.length
      return { ...piece, text }
    })
    return { ...part, output }
  })
  return { ...message, parts }
}
