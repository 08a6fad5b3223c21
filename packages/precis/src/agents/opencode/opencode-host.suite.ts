/** OpenCode 1.18.33 around its plugins: how it compacts, and what it stores. */
import type { JsonObject } from '../../files/lines.ts'
import type { StartCommand } from '../shared/agent.ts'
import type { OpencodeHooks, OpencodeOptions } from './opencode-hooks.ts'
import { createOpencodePlugin } from './plugin.ts'

export const SESSION = 'ses_1'

/** A message of a session, as OpenCode stores it. */
export interface OpencodeRow extends JsonObject {
  readonly info: JsonObject
  readonly parts: readonly JsonObject[]
}

let last = 0
const name = (prefix: string) => `${prefix}_${String(++last).padStart(6, '0')}`

export function createRow(role: 'user' | 'assistant', parts: JsonObject[], more = {}): OpencodeRow {
  const model = { providerID: 'anthropic', modelID: 'claude-opus-4-5' }
  const info = {
    id: name('msg'),
    sessionID: SESSION,
    role,
    time: { created: last },
    ...(role === 'user' ? { model } : model),
    ...more,
  }
  const named = parts.map((part) => ({
    id: name('prt'),
    sessionID: SESSION,
    messageID: info.id,
    ...part,
  }))
  return { info, parts: named }
}

export const createText = (role: 'user' | 'assistant', text: string): OpencodeRow =>
  createRow(role, [{ type: 'text', text }])

export interface OpencodeRun {
  readonly options?: OpencodeOptions
  /** What its model answers. Undefined if it answers without a text. */
  readonly answer?: string | undefined
  readonly windowTokens: number
  readonly command?: StartCommand
  /** Whether the plugin can read nothing, from the beginning or when the summary is made. */
  readonly isBroken?: boolean | 'later'
}

export interface OpencodeCompaction {
  /** What the session is afterwards. */
  readonly rows: readonly OpencodeRow[]
  /** What the model was asked. */
  readonly prompt: string
  readonly told: readonly string[]
  readonly hooks: OpencodeHooks
}

/** As `SessionCompaction.process` does it: the last turn stays, the model summarizes the rest. */
export async function compactOpencode(
  rows: readonly OpencodeRow[],
  { options, windowTokens, isBroken = false, command, ...run }: OpencodeRun,
): Promise<OpencodeCompaction> {
  const start = rows.findLastIndex(({ info, parts }, index) => index > 0 && isRequest(info, parts))
  const tail = rows[start]
  const question = createRow('user', [
    { type: 'compaction', auto: true, ...(tail && { tail_start_id: tail.info.id }) },
  ])
  const stored = [...rows, question]
  const told: string[] = []
  let reads = 0
  const canRead = () => (isBroken === 'later' ? reads++ === 0 : !isBroken)
  const hooks = createOpencodePlugin(
    {
      client: {
        app: { log: async () => undefined },
        tui: { showToast: async ({ body }) => void told.push(JSON.stringify(body)) },
        config: { providers: async () => ({ data: listProviders(windowTokens) }) },
        session: {
          messages: async () => (canRead() ? { data: structuredClone(stored) } : { error: 'gone' }),
          async prompt({ body }) {
            const { parts } = body as { parts: JsonObject[] }
            stored.push(createRow('user', parts))
          },
        },
      },
    },
    options,
    { name: 'opencode', title: 'OpenCode', command },
  )
  const output: { context: string[]; prompt?: string } = { context: [] }
  const input = { sessionID: SESSION }
  await hooks['experimental.session.compacting'](input, output)
  const messages = structuredClone(rows.slice(0, tail ? start : undefined).filter(isHistory))
  await hooks['experimental.chat.messages.transform']({}, { messages })
  const history = messages.flatMap(({ parts }) => parts.map(({ text }) => text))
  const prompt = [output.prompt ?? 'Summarize.', ...output.context, ...history].join('\n')
  const answer = 'answer' in run ? run.answer : 'done'
  const { id: parentID } = question.info
  const summary = createRow('assistant', [], { summary: true, parentID })
  stored.push(summary)
  const written = { text: answer }
  const message = { ...input, messageID: String(summary.info.id) }
  if (isText(written)) await hooks['experimental.text.complete'](message, written)
  stored[stored.indexOf(summary)] = {
    info: { ...summary.info, finish: 'stop' },
    parts: isText(written) ? [{ type: 'text', ...written }] : [],
  }
  await hooks.event({ event: { type: 'session.compacted', properties: input } })
  return { rows: stored, prompt, told, hooks }
}

const isText = (written: { text?: string | undefined }): written is { text: string } =>
  written.text !== undefined

const isRequest = ({ role }: JsonObject, parts: readonly JsonObject[]): boolean =>
  role === 'user' && parts.every(({ type }) => type !== 'compaction')

/** Summaries and their questions are not summarized again. */
const isHistory = ({ info, parts }: OpencodeRow): boolean =>
  info.summary !== true && parts.every(({ type }) => type !== 'compaction')

const listProviders = (context: number) => ({
  providers: [{ id: 'anthropic', models: { 'claude-opus-4-5': { limit: { context } } } }],
})
