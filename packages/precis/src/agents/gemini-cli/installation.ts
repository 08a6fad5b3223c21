import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '@precis/core'
import { readText } from '@precis/core/conversation'
import type { CompactedConversation } from '@precis/core/facts'
import { formats } from '@precis/core/formats'
import { asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { Environment, RecordedCompaction } from '../shared/agent.ts'
import { describeLosses, restoreLost } from '../shared/compaction-repair.ts'
import { createHookEntry, createMcpEntry, readHookSession, SERVER_NAME } from '../shared/entry.ts'
import type { HookHost, Installation, OpenedSession } from '../shared/installation.ts'
import { createSkillEntry, renderTomlPrompt } from '../shared/skill.ts'
import { readCompactions } from './compactions.ts'
import { findExtension, findFolder, findSystemSettings, readSettings } from './settings.ts'
import { countContext, listMessages } from './stored-chat.ts'

const HOOKS = [
  { event: 'PreCompress', what: 'hook that keeps the session before it is compressed' },
  { event: 'BeforeAgent', what: 'hook that puts back what a compression lost' },
]

const HOOK_MS = 30_000

/**
 * In `settings.json` and `commands` (geminicli.com/docs/tools/mcp-server, /docs/hooks/reference and
 * /docs/cli/custom-commands, tested with 0.61.0).
 */
export const installation: Installation = {
  recallTool: 'mcp_precis_recall',
  bestWay: {
    commands: ['precis install gemini-cli'],
    does: 'adds back what the summary lost',
    cost: 'one request',
    answering: 'precis wrap gemini',
  },
  pluginRecallTool: 'mcp_precis_recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    const path = join(folder, 'settings.json')
    const hook = {
      path,
      agent: 'gemini-cli',
      timeout: HOOK_MS,
      more: { name: SERVER_NAME },
    }
    return [
      createMcpEntry(path, ['mcpServers'], command),
      ...HOOKS.map((kind) => createHookEntry({ ...hook, ...kind }, command)),
      createSkillEntry(
        {
          path: join(folder, 'commands', 'precis.toml'),
          agent: 'gemini-cli',
          render: renderTomlPrompt,
          isBrought: () => existsSync(findExtension(environment)),
        },
        command,
      ),
    ]
  },

  async answerHook(input, host) {
    if (input.hook_event_name === 'BeforeAgent') return await restoreContext(input, host)
    const session = readHookSession(input)
    const isDue = (opened: OpenedSession) =>
      input.trigger !== 'auto' || mayCompress(opened, host.environment)
    if (session !== undefined) await host.keepSession(session, { isDue })
    return undefined
  },
}

// A limit on the cost of a repair. The agent has no limit of its own.
const MOST_CHARACTERS = 10_000

/**
 * Runs once per compression, with the next prompt, because no hook comes between a compression and
 * the request after it. The restored text stays in the chat, with the prompt (0.61).
 */
async function restoreContext(
  { transcript_path }: JsonObject,
  host: HookHost,
): Promise<object | undefined> {
  const path = asText(transcript_path)
  const newest = path === undefined ? undefined : readNewestCompaction(path)
  // The gateway made a complete summary.
  if (path === undefined || !newest || newest.by === 'precis') return undefined
  const { compacted, record, holds } = newest
  const heading = `Of before the compression in record ${record} of this chat:`
  if (holds(heading)) return undefined
  const recall = await host.findRecall(path)
  const restored = restoreLost(compacted, {
    limitCharacters: MOST_CHARACTERS - heading.length,
    recall,
  })
  return {
    systemMessage: describeLosses(compacted, {
      restored,
      hasRecall: recall !== undefined,
      hasAll: true,
    }),
    ...(restored && {
      hookSpecificOutput: {
        hookEventName: 'BeforeAgent',
        additionalContext: `${heading}\n${readText(restored)}`,
      },
    }),
  }
}

// Share of the window, unless settings set another.
const DEFAULT_THRESHOLD = 0.5
const WINDOW_TOKENS = 1_048_576
const GEMMA_WINDOW_TOKENS = 256_000
// Its own estimate may be higher than the count. A session that is kept too early is replaced the
// next time.
const MARGIN = 0.5
const BYTES_PER_TOKEN = 3

/**
 * Whether it may be about to compress the session automatically. It calls its hook before every
 * request, and checks the size only afterwards (`ChatCompressionService`, 0.61).
 */
function mayCompress({ source, conversation }: OpenedSession, environment: Environment): boolean {
  const window = conversation.model?.startsWith('gemma') ? GEMMA_WINDOW_TOKENS : WINDOW_TOKENS
  const tokens = countContext(source) ?? source.byteLength / BYTES_PER_TOKEN
  return tokens >= readThreshold(environment) * window * MARGIN
}

/** The lowest of all settings. 0 if some settings cannot be read. */
function readThreshold(environment: Environment): number {
  const paths = [
    findSystemSettings(environment),
    join(findFolder(environment), 'settings.json'),
    join('.gemini', 'settings.json'),
  ]
  const thresholds = paths.flatMap((path) => {
    const settings = readSettings(path)
    const threshold = asObject(settings?.model)?.compressionThreshold
    return settings ? (typeof threshold === 'number' ? [threshold] : []) : [0]
  })
  return Math.min(...(thresholds.length > 0 ? thresholds : [DEFAULT_THRESHOLD]))
}

interface NewestCompaction extends Pick<RecordedCompaction, 'by' | 'record'> {
  readonly compacted: CompactedConversation
  /** Whether anything after it contains such a text. */
  readonly holds: (text: string) => boolean
}

/** Undefined if the chat is not a log, or was never compacted. Throws if it cannot be read. */
function readNewestCompaction(path: string): NewestCompaction | undefined {
  const bytes = readInputFile(path)
  // The hook reads the chat before each prompt, and most chats have no snapshot.
  if (!bytes.includes('<state_snapshot>')) return undefined
  const newest = readCompactions(createMemorySource(bytes)).at(-1)
  if (!newest) return undefined
  const lines = bytes.toString('utf8').split('\n')
  const at = findLine(lines, newest.record)
  const parse = (some: readonly string[]) =>
    formats['gemini-cli'].parse(createMemorySource(Buffer.from(`${some.join('\n')}\n`)))
  return {
    by: newest.by,
    record: newest.record,
    compacted: {
      before: parse(lines.slice(0, at)),
      history: readHistory(lines.slice(0, at), parse),
      after: parse(lines.slice(0, at + 1)).messages,
    },
    holds: (text) =>
      lines.slice(at + 1).some((line) => line.includes(JSON.stringify(text).slice(1, -1))),
  }
}

/** Records are lines, and the messages inside lines. */
function findLine(lines: readonly string[], record: number): number {
  let next = 0
  return lines.findIndex((line) => {
    const isFound = next === record
    next += 1 + listNested(line).filter(({ id }) => typeof id === 'string').length
    return isFound
  })
}

function listNested(line: string) {
  const value = parseObject(Buffer.from(line)) ?? {}
  const messages = listMessages(value)
  return messages[0] === value ? [] : messages
}

/**
 * The history as if it had never been compacted: each line that is one message. Copies are left
 * out.
 */
const readHistory = (
  lines: readonly string[],
  parse: (lines: readonly string[]) => { readonly messages: readonly Message[] },
): readonly Message[] => parse(lines.filter((line) => !line.startsWith('{"$set"'))).messages
