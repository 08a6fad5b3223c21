/**
 * The module that the extension file of pi loads. It adds the tool `recall`, and makes the summaries
 * of pi in its process, without a model.
 */
import type { RecallPath } from '@precis/core'
import { createRecall } from '@precis/core/context'
import { neutralizeLine } from '@precis/core/text'
import { asObject, asText, parseObject } from '../../files/lines.ts'
import type { StartCommand } from '../shared/agent.ts'
import { runPrecis } from '../shared/run-precis.ts'
import {
  createPiDocument,
  type PiCompaction,
  readEntries,
  readRemoved,
  summarizeForPi,
} from './compaction.ts'

/** The events that precis answers. If undefined, pi does it itself. */
export interface PiEvents {
  readonly session_before_compact: PiListener<PiCompactEvent, PiCompactAnswer>
  readonly session_before_tree: PiListener<PiTreeEvent, PiTreeAnswer>
}

type PiListener<Event, Answer> = (event: Event, context: PiContext) => Promise<Answer | undefined>

/** The part of pi's `ExtensionAPI` that precis uses (docs/extensions.md of its package). */
export interface PiExtensionApi {
  registerTool(tool: PiTool): void
  on<Name extends keyof PiEvents>(event: Name, listener: PiEvents[Name]): void
}

export interface PiContext {
  readonly cwd: string
  readonly model?: { readonly id: string; readonly contextWindow: number } | undefined
  readonly ui?: { notify(text: string, type: 'info' | 'warning'): void }
  readonly sessionManager: {
    getSessionFile(): string | undefined
    getSessionId(): string
    getHeader(): unknown
    /** The entries from the first to where pi is. */
    getBranch?(): readonly object[]
  }
}

export interface PiTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly promptSnippet: string
  readonly parameters: object
  execute(
    callId: string,
    parameters: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<{
    readonly content: readonly { readonly type: 'text'; readonly text: string }[]
    readonly details: object
  }>
}

interface PiPreparation {
  readonly firstKeptEntryId: string
  readonly tokensBefore: number
}

interface PiCompactEvent {
  readonly preparation: PiPreparation
  readonly branchEntries: readonly object[]
  readonly customInstructions?: string | undefined
  readonly signal?: AbortSignal
}

interface PiCompactAnswer {
  readonly compaction: PiPreparation & { readonly summary: string; readonly details: object }
}

interface PiTreeEvent {
  readonly preparation: {
    readonly entriesToSummarize: readonly object[]
    /** Whether the user chose to summarize the branch. */
    readonly userWantsSummary: boolean
    readonly customInstructions?: string | undefined
  }
  readonly signal?: AbortSignal
}

interface PiTreeAnswer {
  readonly summary: { readonly summary: string; readonly details: object }
}

const KEEP_MS = 20_000
const RECALL_MS = 20_000
const RECALL_TOOL = 'recall'

/**
 * Without a command, everything works except the archive. The tool then searches the session of pi
 * itself, which keeps what a compaction removed.
 */
export function extendPi(pi: PiExtensionApi, command: StartCommand | undefined): void {
  pi.registerTool(command ? createRecallTool(command) : createSessionTool())
  pi.on('session_before_compact', async (event, context) => {
    const { preparation, branchEntries, customInstructions: instructions, signal } = event
    const { firstKeptEntryId, tokensBefore } = preparation
    const removed = { entries: branchEntries, firstKeptEntryId, instructions, signal }
    const summary = await summarize(removed, context, command)
    return summary && { compaction: { ...summary, firstKeptEntryId, tokensBefore } }
  })
  pi.on('session_before_tree', async ({ preparation, signal }, context) => {
    const { entriesToSummarize: entries, customInstructions: instructions } = preparation
    if (!preparation.userWantsSummary) return undefined
    const removed = { entries, firstKeptEntryId: undefined, instructions, signal }
    const summary = await summarize(removed, context, command)
    return summary && { summary }
  })
}

interface Removed {
  readonly entries: readonly object[]
  /** Undefined for a branch that the user leaves. */
  readonly firstKeptEntryId: string | undefined
  readonly instructions: string | undefined
  readonly signal: AbortSignal | undefined
}

/** If undefined, pi summarizes itself. No failure here may stop the user. */
async function summarize(
  { entries, firstKeptEntryId, instructions, signal }: Removed,
  context: PiContext,
  command: StartCommand | undefined,
): Promise<{ readonly summary: string; readonly details: object } | undefined> {
  // With `-p`, pi 0.73 may end the session meanwhile, and then takes the context away.
  const { model, ui } = context
  const header = asObject(context.sessionManager.getHeader())
  const compaction = {
    header: header ?? {},
    entries: readEntries(entries),
    firstKeptEntryId,
  }
  try {
    const document = createPiDocument(compaction)
    if (!document) return undefined
    // What is on a branch that the user leaves, the tool does not find.
    const recall =
      firstKeptEntryId === undefined
        ? undefined
        : await keepOriginal(compaction, context, command, signal)
    const summary = await summarizeForPi(document, { model, instructions, signal, recall })
    if (typeof summary === 'string') throw new Error(summary)
    const { line, ...answer } = summary
    tell(ui, `precis: ${line}`, 'info')
    return answer
  } catch (error) {
    if (signal?.aborted) return undefined
    const reason = error instanceof Error ? error.message : String(error)
    tell(ui, `precis: ${reason}, so pi summarizes the conversation itself.`, 'warning')
    return undefined
  }
}

const DRAWN_MS = 500

/** pi draws its transcript again after a compaction, without lines from before. */
function tell(ui: PiContext['ui'], text: string, type: 'info' | 'warning'): void {
  setTimeout(() => ui?.notify(neutralizeLine(text), type), DRAWN_MS).unref()
}

/** How the model looks it up. Undefined if the archive does not have it. */
async function keepOriginal(
  compaction: PiCompaction,
  { cwd, sessionManager }: PiContext,
  command: StartCommand | undefined,
  signal: AbortSignal | undefined,
): Promise<RecallPath | undefined> {
  if (!command) return { tool: RECALL_TOOL }
  const input = {
    sessionId: sessionManager.getSessionId(),
    sessionFile: sessionManager.getSessionFile(),
    ...compaction,
  }
  const { output } = await runPrecis(command, ['hook', 'pi'], {
    input,
    timeoutMs: KEEP_MS,
    directory: cwd,
    signal,
  })
  const reference = asText(parse(output)?.reference)
  return reference === undefined ? undefined : { tool: RECALL_TOOL, reference }
}

const parse = (text: string) => parseObject(Buffer.from(text))

const { description, inputSchema } = createRecall({ name: RECALL_TOOL }).tool

const TOOL = {
  name: RECALL_TOOL,
  label: 'Recall',
  description,
  promptSnippet: 'Look up what compaction removed from this conversation, by words',
  parameters: inputSchema,
}

/** Searches the session file of pi, which keeps everything that a compaction removed. */
function createSessionTool(): PiTool {
  return {
    ...TOOL,
    async execute(_callId, parameters, _signal, _onUpdate, { sessionManager }) {
      const entries = readEntries(sessionManager.getBranch?.() ?? [])
      const recall = createRecall({ name: RECALL_TOOL })
      const header = asObject(sessionManager.getHeader()) ?? {}
      await recall.store({ id: 0, removed: readRemoved(header, entries), natives: [] })
      return { content: [{ type: 'text', text: recall.tool.execute(parameters) }], details: {} }
    },
  }
}

const REFERENCE = {
  type: 'string',
  description: 'What to look in, as a summary or a result names it. Needed with a span.',
}

/** Searches the archive, which also has what a compressed copy of a session left out. */
function createRecallTool(command: StartCommand): PiTool {
  return {
    ...TOOL,
    parameters: { ...inputSchema, properties: { ...inputSchema.properties, reference: REFERENCE } },
    async execute(_callId, parameters, signal, _onUpdate, { cwd, sessionManager }) {
      const asked = asObject(parameters) ?? {}
      const session = sessionManager.getSessionFile() ?? sessionManager.getSessionId()
      const { output, errors } = await runPrecis(command, ['mcp', '--call', 'recall'], {
        input: asked.reference === undefined ? { ...asked, session } : asked,
        timeoutMs: RECALL_MS,
        directory: cwd,
        signal,
      })
      const text = readAnswer(output) ?? `Recalling: precis gave no answer. ${errors.trim()}`.trim()
      return { content: [{ type: 'text', text }], details: {} }
    },
  }
}

/** The words of an answer, or why there is none. Undefined if it is not an answer. */
function readAnswer(output: string): string | undefined {
  const { answer, error } = parse(output) ?? {}
  const texts: unknown = asObject(answer)?.texts
  return Array.isArray(texts) ? texts.join('\n\n') : asText(asObject(error)?.message)
}
