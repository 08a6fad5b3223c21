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

interface Compaction {
  readonly DEFAULT_COMPACTION_SETTINGS: Settings
  prepareCompaction(entries: readonly PiEntry[], settings: Settings): Preparation | undefined
  compact(preparation: Preparation, model: unknown): Promise<{ readonly summary: string }>
  serializeConversation(messages: readonly PiMessage[]): string
}

interface PiMessages {
  convertToLlm(
    messages: readonly PiMessage[],
  ): readonly { readonly content: readonly { readonly text: string }[] }[]
}

interface PromptContext {
  readonly messages: readonly { readonly content: readonly { readonly text: string }[] }[]
}

interface PiModels {
  registerFauxProvider(): {
    getModel(): unknown
    setResponses(steps: readonly unknown[]): void
    unregister(): void
  }
  fauxAssistantMessage(text: string): unknown
}

type Pi = Compaction & PiMessages & PiModels

/** `bin` is the folder of its program, as npm installs it: `node_modules/.bin`. */
export async function loadPiMethods(bin: string): Promise<readonly ComparedMethod[]> {
  const packages = join(realpathSync(bin), '..', '@mariozechner')
  const load = (path: string) => import(pathToFileURL(join(packages, path)).href)
  const compaction: Compaction = await load('pi-coding-agent/dist/core/compaction/index.js')
  const messages: PiMessages = await load('pi-coding-agent/dist/core/messages.js')
  const models: PiModels = await load('pi-ai/dist/index.js')
  const pi: Pi = { ...compaction, ...messages, ...models }
  const about = readFileSync(join(packages, 'pi-coding-agent', 'package.json'), 'utf8')
  const { version }: { version: string } = JSON.parse(about)
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
      const provider = pi.registerFauxProvider()
      try {
        const answers = await Promise.all(
          sent.map(async (messages) => {
            const positions = new Set(messages.map((message) => written.positions.get(message)))
            const span = said.filter((_, position) => positions.has(position)).map(clipResults)
            const text = await write(
              conversation,
              span,
              kept,
              Math.floor(summarySize / sent.length),
            )
            const asked = pi.serializeConversation(messages)
            return (context: PromptContext) => {
              if (
                !context.messages[0]?.content[0]?.text.startsWith(
                  `<conversation>\n${asked}\n</conversation>`,
                )
              ) {
                throw new Error('Comparing: pi sends other messages than these.')
              }
              return pi.fauxAssistantMessage(text)
            }
          }),
        )
        provider.setResponses(answers)
        const { summary } = await pi.compact(preparation, provider.getModel())
        const [message] = pi.convertToLlm([{ role: 'compactionSummary', summary, timestamp: 0 }])
        const text = message?.content.map((part) => part.text).join('') ?? ''
        const replacement: Messages[number] = {
          role: 'user',
          origin: 'synthetic',
          parts: [{ type: 'text', text }],
        }
        return { ...conversation, messages: [...system, replacement, ...kept] }
      } finally {
        provider.unregister()
      }
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

function clipResults(message: Messages[number]): Messages[number] {
  if (message.role !== 'tool') return message
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
