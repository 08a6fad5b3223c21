/**
 * The module that the plugin file of OpenCode loads. OpenCode always asks its model for a summary
 * when it compacts. This plugin leaves the request with nothing to read, and puts precis's summary
 * in the place of the answer.
 *
 *   compacting ─► messages.transform ─► request ─► text.complete ─► session.compacted
 *   remembered    summary is made       one word   summary replaces  the user is told
 *
 * OpenCode ends a session if a hook rejects (tested with 1.18.33), so none does.
 */
import { createRecall } from '@precis/core/context'
import { isSummaryText } from '@precis/core/conversation'
import { neutralizeLine } from '@precis/core/text'
import { asObject, asText } from '../../files/lines.ts'
import { verifySummary } from '../shared/compaction-repair.ts'
import { summarizeRemoved } from '../shared/summarize-removed.ts'
import type { OpencodeClient, OpencodeHooks, OpencodeOptions } from './opencode-hooks.ts'
import { type OpencodeRecords, readRemoval, readRemoved } from './removed.ts'

const RECALL_TOOL = 'recall_removed'
const PROMPT = 'There is nothing to summarize. Answer with the word "done".'
const ASKED = 'the model wrote one word'
// With "verify", in addition to OpenCode's own prompt.
const INSTRUCTIONS =
  'Quote the requests, decisions and constraints of the user word for word. Write names of files, commands, errors and identifiers exactly as they are in the conversation.'
const TOLD_MS = 15_000
const NOT_SENT = 'it does not send what it summarizes'

/** One compaction, from the question until OpenCode has its answer. */
type Work =
  | { readonly type: 'asked'; readonly output: { prompt?: string | undefined } }
  | { readonly type: 'summarized'; readonly text: string; readonly line: string }
  | { readonly type: 'verified'; readonly lastId: unknown }

export function createOpencodePlugin(
  { client }: { readonly client: OpencodeClient },
  options?: OpencodeOptions,
  /** The name of the agent for the user: a fork of OpenCode may have another. */
  title = 'OpenCode',
): OpencodeHooks {
  const { mode = 'replace' } = options ?? {}
  const works = new Map<string, Work>()
  /** What the user is told when the compaction is done, by session. */
  const lines = new Map<string, string>()

  const tell = async (message: string, variant: 'info' | 'warning') => {
    const body = { title: 'precis', message: neutralizeLine(message), variant, duration: TOLD_MS }
    const level = variant === 'info' ? 'info' : 'warn'
    await client.app.log({ body: { service: 'precis', level, message: body.message } })
    await client.tui.showToast({ body })
  }
  const leave = async (sessionId: string | undefined, error: unknown) => {
    if (sessionId !== undefined) works.delete(sessionId)
    const reason = error instanceof Error ? error.message : String(error)
    const text = `${reason}, so ${title} summarizes the conversation itself.`
    await tell(text, 'warning').catch(() => {})
  }
  const readRecords = async (id: string): Promise<OpencodeRecords> => {
    const { data, error } = await client.session.messages({ path: { id } })
    if (Array.isArray(data)) return data
    throw new Error(`the messages of the session could not be read (${JSON.stringify(error)})`)
  }

  return {
    async 'experimental.session.compacting'({ sessionID }, output) {
      works.set(sessionID, { type: 'asked', output })
      lines.delete(sessionID)
      if (mode === 'verify') output.context.push(INSTRUCTIONS)
    },

    async 'experimental.chat.messages.transform'(_, { messages }) {
      const sessionId = asText(asObject(asObject(messages[0])?.info)?.sessionID)
      const work = sessionId === undefined ? undefined : works.get(sessionId)
      // Every request of a model comes here.
      if (sessionId === undefined || work?.type !== 'asked') return
      try {
        if (mode !== 'replace' && mode !== 'verify')
          throw new Error(`its mode is ${JSON.stringify(mode)}, and not "replace" or "verify"`)
        const lastId = asObject(asObject(messages.at(-1))?.info)?.id
        if (mode === 'verify') {
          works.set(sessionId, { type: 'verified', lastId })
          return
        }
        const removal = readRemoval(await readRecords(sessionId), lastId)
        if (!removal) throw new Error(NOT_SENT)
        const { provider, model: id = '' } = removal.conversation
        const contextWindow = await findWindow(client, provider, id)
        const summary = await summarizeRemoved(removal, {
          model: { id, ...(contextWindow && { contextWindow }) },
          recall: { tool: RECALL_TOOL },
          asked: ASKED,
        })
        if (typeof summary === 'string') throw new Error(summary)
        works.set(sessionId, { type: 'summarized', ...summary })
        // OpenCode reads both after this.
        work.output.prompt = PROMPT
        // A plugin that comes after this one may expect a message.
        messages.splice(0, messages.length, { ...asObject(messages[0]), parts: [] })
      } catch (error) {
        await leave(sessionId, error)
      }
    },

    async 'experimental.text.complete'({ sessionID, messageID }, output) {
      const work = works.get(sessionID)
      if (!work || work.type === 'asked') return
      try {
        const records = await readRecords(sessionID)
        const infos = records.map((record) => asObject(asObject(record)?.info))
        const at = infos.findLastIndex((info) => info?.id === messageID)
        // The request for a summary may have failed, and this is another answer.
        if (infos[at]?.summary !== true) return
        works.delete(sessionID)
        if (work.type === 'summarized') {
          output.text = work.text
          lines.set(sessionID, work.line)
        } else if (!isSummaryText(output.text)) {
          const removal = readRemoval(records.slice(0, at), work.lastId)
          if (!removal) throw new Error(NOT_SENT)
          const { text, line } = verifySummary(output.text, removal, { tool: RECALL_TOOL })
          output.text = text
          lines.set(sessionID, `The model of ${title} wrote the summary. ${line}`)
        }
      } catch (error) {
        await leave(sessionID, error)
      }
    },

    async event({ event: { type, properties } }) {
      const id = type === 'session.compacted' ? properties?.sessionID : undefined
      if (id === undefined) return
      const work = works.get(id)
      works.delete(id)
      try {
        // The model answered without a text, so the summary is still missing.
        if (work?.type === 'summarized') await addText(client, id, work.text)
        const line = work?.type === 'summarized' ? work.line : lines.get(id)
        lines.delete(id)
        if (line !== undefined) await tell(`${line} ${LOOK_UP}`, 'info')
      } catch (error) {
        await leave(id, error)
      }
    },

    async 'tool.definition'({ toolID }, output) {
      // OpenCode requires every parameter of a tool of a plugin. These are alternatives.
      if (toolID === RECALL_TOOL) output.jsonSchema = RECALL.inputSchema
    },

    tool: {
      [RECALL_TOOL]: {
        description: RECALL.description,
        args: RECALL.inputSchema.properties,
        async execute(input, { sessionID }) {
          const removed = readRemoved(await readRecords(sessionID))
          if (removed.length === 0) return 'Nothing was removed from this conversation yet.'
          const recall = createRecall({ name: RECALL_TOOL })
          await recall.store({ id: 0, removed, natives: [] })
          return recall.tool.execute(input)
        },
      },
    },
  }
}

const RECALL = createRecall({ name: RECALL_TOOL }).tool
const LOOK_UP = `Ask the agent for anything that is gone: ${RECALL_TOOL} finds it.`

/** Undefined if OpenCode does not know the model. */
async function findWindow(
  client: OpencodeClient,
  providerId: string | undefined,
  modelId: string,
): Promise<number | undefined> {
  const { data } = await client.config.providers()
  const providers: unknown = asObject(data)?.providers
  const provider = Array.isArray(providers)
    ? providers.map(asObject).find((known) => known?.id === providerId)
    : undefined
  const window = asObject(asObject(asObject(provider?.models)?.[modelId])?.limit)?.context
  return typeof window === 'number' && window > 0 ? window : undefined
}

/** Adds a text to a session without a request of a model. */
async function addText(client: OpencodeClient, id: string, text: string): Promise<void> {
  const body = { noReply: true, parts: [{ type: 'text', text, synthetic: true }] } as const
  await client.session.prompt({ path: { id }, body })
}
