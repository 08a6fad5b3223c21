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
import { neutralizeLine } from '@precis/core/text'
import { asObject, asText } from '../../files/lines.ts'
import type { StartCommand } from '../shared/agent.ts'
import { INSTRUCTIONS, verifySummary } from '../shared/compaction-repair.ts'
import { runPrecis } from '../shared/run-precis.ts'
import { summarizeRemoved } from '../shared/summarize-removed.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { findCompactionPart } from './compactions.ts'
import type { OpencodeClient, OpencodeHooks, OpencodeOptions } from './opencode-hooks.ts'
import { type OpencodeRecords, readRemoval, readRemoved } from './removed.ts'
import { wire } from './wire.ts'

const RECALL_TOOL = 'recall_removed'
const PROMPT = 'There is nothing to summarize. Answer with the word "done".'
const ASKED = 'the model wrote one word'
const TOLD_MS = 15_000
const KEEP_MS = 30_000
const NOT_SENT = 'it does not send what it summarizes'

/** One compaction, from the question until OpenCode has its answer. */
type Work =
  | { readonly type: 'asked'; readonly output: { prompt?: string | undefined } }
  | {
      readonly type: 'summarized'
      readonly text: string
      readonly line: string
      readonly kept: Promise<void>
    }
  | { readonly type: 'verified'; readonly lastId: unknown; readonly kept: Promise<void> }

/** How `precis install` names the agent, which may be a fork of OpenCode. */
export interface PluginHost {
  readonly name: string
  readonly title: string
  /** Undefined if the command is not installed. Then nothing is archived. */
  readonly command?: StartCommand | undefined
}

/** Everything by session, because sessions and subagents compact at the same time. */
interface Plugin extends PluginHost {
  readonly client: OpencodeClient
  readonly mode: OpencodeOptions['mode']
  readonly works: Map<string, Work>
  /** What the user is told when the compaction is done. */
  readonly lines: Map<string, string>
}

export function createOpencodePlugin(
  { client }: { readonly client: OpencodeClient },
  options: OpencodeOptions | undefined,
  host: PluginHost,
): OpencodeHooks {
  const mode = options?.mode ?? 'replace'
  const plugin: Plugin = { ...host, client, mode, works: new Map(), lines: new Map() }
  const { works, lines } = plugin
  return {
    async 'experimental.session.compacting'({ sessionID }, output) {
      works.set(sessionID, { type: 'asked', output })
      lines.delete(sessionID)
      if (mode === 'verify') output.context.push(INSTRUCTIONS)
    },
    async 'experimental.chat.messages.transform'(_, { messages }) {
      const sessionId = asText(readInfo(messages[0])?.sessionID)
      const work = sessionId === undefined ? undefined : works.get(sessionId)
      // Every request of a model comes here.
      if (sessionId === undefined || work?.type !== 'asked') return
      await orLeave(plugin, sessionId, async () => {
        const begun = await begin(plugin, sessionId, messages)
        if (begun) works.set(sessionId, begun)
        else works.delete(sessionId)
        if (begun?.type !== 'summarized') return
        // OpenCode reads both after this.
        work.output.prompt = PROMPT
        // A plugin that comes after this one may expect a message.
        messages.splice(0, messages.length, { ...asObject(messages[0]), parts: [] })
      })
    },
    async 'experimental.text.complete'({ sessionID, messageID }, output) {
      const work = works.get(sessionID)
      if (!work || work.type === 'asked') return
      await orLeave(plugin, sessionID, () => answer(plugin, { sessionID, messageID }, work, output))
    },
    async event({ event: { type, properties } }) {
      const id = type === 'session.compacted' ? properties?.sessionID : undefined
      if (id !== undefined) await orLeave(plugin, id, () => finish(plugin, id))
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
          const removed = readRemoved(await readRecords(client, sessionID))
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

/**
 * If it fails, the user is told why. Before there is a summary, the agent works as without the
 * plugin. After that, the summary is kept until the compaction is done.
 */
async function orLeave(plugin: Plugin, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isMade = plugin.works.get(id)?.type === 'summarized'
    if (!isMade) plugin.works.delete(id)
    const reason = error instanceof Error ? error.message : String(error)
    const text = isMade
      ? `${reason}, so the summary is not in the session yet. ${LOOK_UP}`
      : `${reason}, so ${plugin.title} summarizes the conversation itself.`
    await tell(plugin, text, 'warning').catch(() => {})
  }
}

async function tell({ client }: Plugin, text: string, variant: 'info' | 'warning'): Promise<void> {
  const message = neutralizeLine(text)
  await log(client, message, variant === 'info' ? 'info' : 'warn')
  await client.tui.showToast({ body: { title: 'precis', message, variant, duration: TOLD_MS } })
}

const log = (client: OpencodeClient, message: string, level: 'info' | 'warn'): Promise<unknown> =>
  client.app.log({ body: { service: 'precis', level, message } })

/**
 * `messages`: what OpenCode summarizes, without earlier summaries. Undefined for a turn that comes
 * after a compaction without a request.
 */
async function begin(
  plugin: Plugin,
  sessionId: string,
  messages: readonly unknown[],
): Promise<Work | undefined> {
  const { client, mode } = plugin
  if (mode !== 'replace' && mode !== 'verify')
    throw new Error(`the mode of the plugin is ${JSON.stringify(mode)}, not "replace" or "verify"`)
  const lastId = readInfo(messages.at(-1))?.id
  if (mode === 'verify') return { type: 'verified', lastId, kept: keepOriginal(plugin, sessionId) }
  const records = await readRecords(client, sessionId)
  const last = records.findLastIndex((record) => readInfo(record)?.id === lastId)
  const question = records.findLastIndex((record) => findCompactionPart(asObject(record)))
  if (question <= last) return undefined
  const kept = keepOriginal(plugin, sessionId)
  const removal = readRemoval(records, lastId)
  if (!removal) throw new Error(NOT_SENT)
  const { provider, model: id = '' } = removal.conversation
  const contextWindow = await findWindow(client, provider, id)
  const summary = await summarizeRemoved(removal, {
    model: { id, ...(contextWindow && { contextWindow }) },
    recall: { tool: RECALL_TOOL },
    asked: ASKED,
  })
  if (typeof summary === 'string') throw new Error(summary)
  return { type: 'summarized', ...summary, kept }
}

/** Puts the summary into the answer of the model, which is not stored yet. */
async function answer(
  { client, works, lines, title }: Plugin,
  { sessionID, messageID }: { readonly sessionID: string; readonly messageID: string },
  work: Exclude<Work, { readonly type: 'asked' }>,
  output: { text: string },
): Promise<void> {
  const records = await readRecords(client, sessionID)
  const at = records.findLastIndex((record) => readInfo(record)?.id === messageID)
  // The request for a summary may have failed, and this is another answer.
  if (readInfo(records[at])?.summary !== true) return
  works.delete(sessionID)
  // Until then, the session is as it was.
  await work.kept
  if (work.type === 'summarized') {
    output.text = work.text
    lines.set(sessionID, work.line)
  } else if (readWrittenSummary(output.text, wire).by === 'agent') {
    // Otherwise the gateway answered.
    const removal = readRemoval(records.slice(0, at), work.lastId)
    if (!removal) throw new Error(NOT_SENT)
    const { text, line } = verifySummary(output.text, removal, { tool: RECALL_TOOL })
    output.text = text
    lines.set(sessionID, `The model of ${title} wrote the summary. ${line}`)
  }
}

async function finish(plugin: Plugin, id: string): Promise<void> {
  const { client, works, lines } = plugin
  const work = works.get(id)
  // The model answered without a text, or its answer could not be replaced.
  const isMissing = work?.type === 'summarized'
  if (isMissing) await addText(client, id, work.text)
  works.delete(id)
  const line = isMissing ? work.line : lines.get(id)
  lines.delete(id)
  if (line !== undefined) await tell(plugin, `${line} ${LOOK_UP}`, 'info')
}

/** Never rejects. Without the archive, everything works except the commands that need it. */
async function keepOriginal({ client, command, name }: Plugin, sessionId: string): Promise<void> {
  if (!command) return
  const input = { session_id: sessionId }
  const { exitCode, errors } = await runPrecis(command, ['hook', name], {
    input,
    timeoutMs: KEEP_MS,
  })
  if (exitCode === 0) return
  const message = neutralizeLine(`The session was not archived. ${errors.trim()}`)
  await log(client, message, 'warn').catch(() => {})
}

async function readRecords(client: OpencodeClient, id: string): Promise<OpencodeRecords> {
  const { data, error } = await client.session.messages({ path: { id } })
  if (Array.isArray(data)) return data
  throw new Error(`the messages of the session could not be read (${JSON.stringify(error)})`)
}

const readInfo = (record: unknown) => asObject(asObject(record)?.info)

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
