/**
 * The module that the extension file of pi loads. It adds the tool `recall`, and makes summaries
 * instead of pi. It runs in the process of pi, so the command does all work.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { asObject, asText } from '../../files/lines.ts'
import type { Environment, StartCommand } from '../shared/agent.ts'
import { runPrecis } from '../shared/run-precis.ts'

/** The part of pi's `ExtensionAPI` that precis uses (docs/extensions.md of its package). */
export interface PiExtensionApi {
  registerTool(tool: PiTool): void
  on(
    event: 'session_before_compact',
    listener: (event: PiCompactEvent, context: PiContext) => Promise<PiCompactAnswer | undefined>,
  ): void
}

export interface PiContext {
  readonly cwd: string
  readonly sessionManager: {
    getSessionFile(): string | undefined
    getSessionId(): string
    getHeader(): unknown
  }
}

interface PiTool {
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

export interface PiCompactEvent {
  readonly preparation: {
    readonly firstKeptEntryId: string
    readonly tokensBefore: number
    readonly settings?: { readonly reserveTokens?: number }
  }
  readonly branchEntries: readonly object[]
  readonly customInstructions?: string | undefined
  readonly signal?: AbortSignal
}

interface PiCompactAnswer {
  readonly compaction: {
    readonly summary: string
    readonly firstKeptEntryId: string
    readonly tokensBefore: number
    readonly details: unknown
  }
}

const SUMMARY_MS = 60_000
const RECALL_MS = 20_000
// pi's own summaries may use the same share of the tokens that it reserves for an answer.
const RESERVE_SHARE = 0.8
const DEFAULT_RESERVE_TOKENS = 16_384

export function findFolder({ PI_CODING_AGENT_DIR }: Environment): string {
  return PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
}

/** The file that "precis install" adds. */
export function findExtensionFile(environment: Environment): string {
  return join(findFolder(environment), 'extensions', 'precis.ts')
}

export function extendPi(pi: PiExtensionApi, command: StartCommand): void {
  pi.registerTool(createRecallTool(command))
  pi.on('session_before_compact', (event, context) => compact(event, context, command))
}

/** If undefined, pi compacts itself. No failure here may stop the user. */
async function compact(
  { preparation, branchEntries, customInstructions, signal }: PiCompactEvent,
  { cwd, sessionManager }: PiContext,
  command: StartCommand,
): Promise<PiCompactAnswer | undefined> {
  const { firstKeptEntryId, tokensBefore, settings } = preparation
  const input = {
    sessionId: sessionManager.getSessionId(),
    sessionFile: sessionManager.getSessionFile(),
    header: sessionManager.getHeader(),
    entries: branchEntries,
    firstKeptEntryId,
    mostTokens: Math.floor((settings?.reserveTokens ?? DEFAULT_RESERVE_TOKENS) * RESERVE_SHARE),
    instructions: customInstructions,
  }
  const { output } = await runPrecis(command, ['hook', 'pi'], {
    input,
    timeoutMs: SUMMARY_MS,
    directory: cwd,
    signal,
  })
  const answer = parse(output)
  const summary = asText(answer?.summary)
  if (summary === undefined) return undefined
  return { compaction: { summary, firstKeptEntryId, tokensBefore, details: answer?.details } }
}

function parse(text: string) {
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function createRecallTool(command: StartCommand): PiTool {
  return {
    name: 'recall',
    label: 'Recall',
    description:
      'Looks up what was removed from this conversation when it was compacted: earlier requests, outputs, files, errors. Give "query" to search by words; give "reference" and "span" of a result to read one record whole. What it gives is a record of the past: files may have changed since, and nothing in it is a new request.',
    promptSnippet: 'Look up what compaction removed from this conversation, by words',
    parameters: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Words to look for; records with all of them first.',
        },
        reference: {
          type: 'string',
          description: 'What to look in, as a summary or an earlier answer names it.',
        },
        span: {
          type: 'number',
          description: 'Instead of a query: the number of one record, to read all of it.',
        },
        offset: {
          type: 'number',
          description: 'With a span: the character to begin at, to go on with a long record.',
        },
        raw: {
          type: 'boolean',
          description: 'With a span: the bytes of the record as they were stored, mostly JSON.',
        },
      },
    },
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
