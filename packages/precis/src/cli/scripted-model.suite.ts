/**
 * A script that plays the model for real agents. It gives long answers, and calls a shell if the
 * user asks for it.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ApiEvent,
  type ApiName,
  apis,
  createItemEvents,
  type TextAnswer,
} from '@precis/core/apis'
import { agents } from '../agents/index.ts'
import { asObjects, readOnlyText } from '../agents/shared/request-text.ts'
import { asObject, asText, type JsonObject, parseObject } from '../files/lines.ts'
import { renderEvents } from '../gateway/api-request.ts'
import { type Received, startUpstream } from '../gateway/gateway.suite.ts'

const VERSIONS = [
  '@anthropic-ai/claude-code@2.1.332',
  '@openai/codex@0.171.0',
  '@google/gemini-cli@0.61.0',
  'opencode-ai@1.18.33',
]
const FOLDER = join(tmpdir(), '..', 'precis-agents')
/** The folder of their programs: `AGENTS_BIN`, or the temporary installation. */
export const AGENTS_BIN = process.env.AGENTS_BIN ?? join(FOLDER, 'node_modules', '.bin')

export function installAgents(): void {
  if (existsSync(AGENTS_BIN)) return
  mkdirSync(FOLDER, { recursive: true })
  execFileSync('npm', ['install', '--prefix', FOLDER, ...VERSIONS], { stdio: 'inherit' })
}

const PATHS: readonly (readonly [RegExp, ApiName])[] = [
  [/\/messages(?:\?|$)/, 'anthropic-messages'],
  [/\/responses$/, 'openai-responses'],
  [/:(?:streamG|g)enerateContent/, 'gemini-contents'],
]

export interface Asked {
  readonly api: ApiName
  readonly body: JsonObject
  readonly received: Received
}

function readAsked(received: Received): Asked | undefined {
  const [, api] = PATHS.find(([pattern]) => pattern.test(received.url)) ?? []
  const body = parseObject(received.body)
  return api && body && received.method === 'POST' ? { api, body, received } : undefined
}

export interface ScriptedModel {
  readonly url: string
  /** All requests for an answer that reached it. */
  readonly listAsked: () => readonly Asked[]
}

export interface ModelScript {
  /** The prompt tokens that it reports. By default the largest possible number. */
  readonly reportedTokens?: number
  /** How many lines each answer has. */
  readonly lines?: number
  /** Each answer, instead of these. */
  readonly text?: string
}

const BYTES_PER_TOKEN = 4

export async function startModel({
  reportedTokens,
  lines = 300,
  text,
}: ModelScript = {}): Promise<ScriptedModel> {
  let count = 0
  const upstream = await startUpstream((received, response) => {
    const asked = readAsked(received)
    if (!asked) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    count++
    const inputTokens = reportedTokens ?? Math.ceil(received.body.length / BYTES_PER_TOKEN)
    const steps = Array.from(
      { length: lines },
      (_, step) => `I looked at part ${step} of src/step-${count}.ts; it is fine.`,
    )
    const said = text ?? `Answer ${count}.\n${steps.join('\n')}`
    // Recognized by its tag, in the chat of Gemini CLI.
    const isSnapshot = asked.api === 'gemini-contents' && isCompaction(asked)
    const answer = {
      text: isSnapshot ? `<state_snapshot>\n${said}\n</state_snapshot>` : said,
      model: asText(asked.body.model) ?? 'gemini-2.5-pro',
      id: `a${count}`,
      time: 1,
      usage: { inputTokens, outputTokens: 5000 },
    }
    const isStreamed = asked.body.stream === true || received.url.includes(':stream')
    const api = apis[asked.api]
    const call = isStreamed ? findCall(asked) : undefined
    const type = isStreamed ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type })
    if (call !== undefined) return response.end(renderEvents(createCallEvents(asked, answer, call)))
    return response.end(
      isStreamed
        ? renderEvents(api.createEvents(answer))
        : JSON.stringify(api.createAnswer(answer)),
    )
  })
  return {
    url: upstream.url,
    listAsked: () => upstream.received.flatMap((received) => readAsked(received) ?? []),
  }
}

export const isCompaction = ({ api, body, received: { url, headers } }: Asked): boolean =>
  agents.some(({ wire }) => wire?.readCompaction({ api, path: url, headers, body }) !== undefined)

const SHELLS = ['Bash', 'exec_command', 'run_shell_command', 'bash']

interface ShellCall {
  readonly tool: string
  readonly command: string
}

/**
 * `RUN(ls)` in the user's latest words, if the agent offers a shell and has not run it yet. Text of
 * hooks may follow in separate messages.
 */
function findCall({ api, body }: Asked): ShellCall | undefined {
  const tool = SHELLS.find((name) => JSON.stringify(body.tools ?? []).includes(`"name":"${name}"`))
  const list = asObjects(body[apis[api].listKey]) ?? []
  const last = list.findLastIndex(({ role }) => !SAYING_ROLES.includes(asText(role) ?? ''))
  const newest = list.slice(last + 1)
  const parts = newest.flatMap(({ content, parts }) => asObjects(content ?? parts) ?? [])
  const isAnswered = parts.some(
    ({ type, functionResponse }) => type === 'tool_result' || functionResponse !== undefined,
  )
  if (tool === undefined || isAnswered) return undefined
  const texts = [
    ...newest.flatMap(({ content }) => readOnlyText(content) ?? []),
    ...parts.map((part) => asText(part.text) ?? ''),
  ]
  const said = texts.filter((text) => !text.includes('<conversation-summary '))
  const [, command] = /[\s\S]*RUN\(([^)]*)\)/.exec(said.join('\n')) ?? []
  return command === undefined ? undefined : { tool, command }
}

const SAYING_ROLES = ['user', 'system', 'developer']

function createCallEvents(
  { api }: Asked,
  answer: TextAnswer,
  { tool, command }: ShellCall,
): readonly ApiEvent[] {
  const input =
    tool === 'exec_command' ? { cmd: command } : { command, description: 'Shows a file' }
  const id = `call_${answer.id}`
  switch (api) {
    case 'openai-responses': {
      const item = {
        type: 'function_call',
        id: `fc_${answer.id}`,
        call_id: id,
        name: tool,
        status: 'completed',
      }
      return createItemEvents(answer, { ...item, arguments: JSON.stringify(input) })
    }
    case 'gemini-contents': {
      const content = { role: 'model', parts: [{ functionCall: { name: tool, args: input } }] }
      const [whole] = apis[api].createEvents(answer)
      return [
        {
          data: {
            ...asObject(whole?.data),
            candidates: [{ content, finishReason: 'STOP', index: 0 }],
          },
        },
      ]
    }
    default:
      return apis['anthropic-messages']
        .createEvents(answer)
        .map((event) => toCall(event, { id, name: tool, input }))
  }
}

function toCall(
  event: ApiEvent,
  { id, name, input }: { id: string; name: string; input: JsonObject },
): ApiEvent {
  const data = asObject(event.data) ?? {}
  switch (data.type) {
    case 'content_block_start':
      return {
        ...event,
        data: { ...data, content_block: { type: 'tool_use', id, name, input: {} } },
      }
    case 'content_block_delta':
      return {
        ...event,
        data: { ...data, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } },
      }
    case 'message_delta':
      return {
        ...event,
        data: { ...data, delta: { stop_reason: 'tool_use', stop_sequence: null } },
      }
    default:
      return event
  }
}
