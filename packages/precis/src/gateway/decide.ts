/** The work of a thread of the gateway: it decides what to do with one request. */

import { setImmediate } from 'node:timers/promises'
import type { Conversation, Message, Usage } from '@precis/core'
import { summarizeConversation } from '@precis/core/engine'
import { formats } from '@precis/core/formats'
import type { ContextWindow } from '@precis/core/models'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { openStore } from '../archive/open-store.ts'
import type { ArchivePlace } from '../compression/ports.ts'
import { STORE_HOST } from '../compression/restore-summary.ts'
import { nameFailure, reasonOf } from '../files/errors.ts'
import { type ActHost, createActHost } from './act-host.ts'
import { answerCompaction, recogniseCompaction } from './answer-compaction.ts'
import { type ApiRequest, readApiRequest } from './api-request.ts'
import { compressMessages } from './compress-messages.ts'
import type {
  ActRequest,
  ActResult,
  Owner,
  Passed,
  SidecarAnswer,
  SidecarRequest,
} from './gateway.ts'
import { restoreMessages, restorePassed, sendRestored } from './restore-messages.ts'
import { retrieveOriginal } from './retrieve-original.ts'
import { RequestShortener } from './shorten-request.ts'

/** The same for all requests of a gateway. */
export interface ThreadSettings {
  readonly database: string | undefined
  readonly archive: ArchivePlace | undefined
  readonly saves: boolean
}

export interface DecideTask {
  readonly request: ActRequest
  readonly settings: ThreadSettings
}

/** Its window is the smallest that an upstream reported to this owner. */
export interface DecideResult extends Partial<ContextWindow> {
  readonly result: ActResult
  /** Messages for people. */
  readonly notes: readonly string[]
}

/** Never rejects. What cannot be done passes, with the reason. */
export async function decide({ request, settings }: DecideTask): Promise<DecideResult> {
  const notes: string[] = []
  const fail = (error: unknown): ActResult => {
    notes.push(`an act failed, and its request passed as it was: ${nameFailure(error)}`)
    return { type: 'pass', reason: 'failed', problem: reasonOf(error) }
  }
  try {
    const thread = openThread(settings)
    thread.note = (text) => notes.push(text)
    const result = await act(request, { thread, settings, fail })
    return { result, notes, windowTokens: await thread.host.findSmallestWindow(request.owner) }
  } catch (error) {
    return { result: fail(error), notes }
  }
}

export interface SidecarTask {
  readonly request: SidecarRequest
  readonly settings: ThreadSettings
}

/** Never rejects. */
export async function serve({ request, settings }: SidecarTask): Promise<SidecarAnswer> {
  const thread = openThread(settings)
  if (request.type === 'compress') return await compressMessages(request, thread)
  return await retrieveOriginal(request, settings.database)
}

/** Restores a request that passes, without any other action. */
export function restore({ request, passed }: RestoreTask): ActResult {
  return restorePassed(request, passed)
}

export interface RestoreTask {
  readonly request: ActRequest
  readonly passed: ActResult
}

/** Keeps a session's latest request, if its agent does not send its history when it compacts. */
export async function remember({ owner, body, settings }: RememberTask): Promise<void> {
  const { host } = openThread(settings)
  await host.keepNewestRequest(owner, body)
}

export interface RememberTask {
  readonly owner: Owner
  readonly body: Uint8Array
  readonly settings: ThreadSettings
}

/**
 * For conversations whose cost is to be reduced: whether the provider caches them, and their real
 * size.
 */
export async function recordUsage({ owner, usage, settings }: UsageTask): Promise<void> {
  openThread(settings).shortener.recordUsage(owner, usage)
}

export interface UsageTask {
  readonly owner: Owner
  readonly usage: Usage
  readonly settings: ThreadSettings
}

/** Loads and compiles code in advance, so that the first request need not wait. */
export async function warm(settings: ThreadSettings): Promise<void> {
  await openThread(settings).host.store.find([''])
  for (const [model, format] of WARMED) {
    const messages = Array.from({ length: WARM_TURNS }, (_, turn) => [
      {
        role: 'user',
        content: `Please look at src/file${turn}.ts: "npm test" fails with error ${turn}.`,
      },
      {
        role: 'assistant',
        content: `The function on line ${turn} of src/file${turn}.ts is mended, and its tests pass.`,
      },
    ]).flat()
    await summarizeConversation(formats[format].parse({ model, messages }), {
      model,
      budgetTokens: WARM_TOKENS,
    })
    await setImmediate()
  }
}

const WARMED = [
  ['claude-sonnet-4-5', 'anthropic-messages'],
  ['gpt-5', 'openai-chat'],
] as const
const WARM_TURNS = 200
const WARM_TOKENS = 2_000

interface Acting {
  readonly thread: Thread
  readonly settings: ThreadSettings
  readonly fail: (error: unknown) => ActResult
}

/** Whatever fails, a provider gets no earlier answer by precis that it cannot read. */
async function act(request: ActRequest, { thread, settings, fail }: Acting): Promise<ActResult> {
  const body = readApiRequest(request.body, request)
  if (!body) return { type: 'pass' }
  const restored = restoreMessages(request, body)
  const result = await actOn(request, { body, restored }, thread, settings).catch(fail)
  return sendRestored(request, restored, result)
}

interface ReadBodies {
  readonly body: ApiRequest
  readonly restored: ApiRequest | undefined
}

async function actOn(
  request: ActRequest,
  { body, restored }: ReadBodies,
  { host, shortener }: Thread,
  { saves }: ThreadSettings,
): Promise<ActResult> {
  const compaction =
    request.purpose === 'count' ? undefined : recogniseCompaction(request, body.json)
  if (compaction) return await answerCompaction(request, body, compaction, host)
  const half = request.purpose === 'count' ? undefined : findHalfCompaction(request, body)
  const shortened = await shortener.shorten(request, restored ?? body, saves)
  if (shortened.type === 'replace') return { ...shortened, ...half }
  return shortened.type === 'pass' && shortened.reason === 'fits'
    ? { ...shortened, ...half }
    : shortened
}

interface Thread {
  readonly host: ActHost
  readonly shortener: RequestShortener
  note: (text: string) => void
}

const threads = new Map<string | undefined, Thread>()

function openThread({ database, archive }: ThreadSettings): Thread {
  const known = threads.get(database)
  if (known) return known
  const host = createActHost({
    archive,
    store: openStore(database, { host: STORE_HOST }),
    note: (text) => thread.note(text),
  })
  const thread: Thread = { host, shortener: new RequestShortener(host), note: () => {} }
  threads.set(database, thread)
  return thread
}

/**
 * For a request that looks like a compaction but differs from those of known agents: by a new
 * version of an agent, or with a text about such requests. Undefined for every other request.
 */
function findHalfCompaction(request: ActRequest, { json }: ApiRequest): Passed | undefined {
  const asking = findAsking(request, json)
  if (!asking) return undefined
  const problem = `${asking.title} asks so for its own compaction, but with another body or other headers`
  return { reason: 'unknown', problem }
}

function findAsking(
  { api, purpose, headers, owner }: ActRequest,
  json: ApiRequest['json'],
): Agent | undefined {
  const own = agents.find(({ name }) => name === owner.agent)
  if (own && (purpose === 'compact' || own.wire?.announcesCompaction?.(headers))) return own
  const newest = readNewest(formats[api].parse(json))
  return agents.find(({ wire }) => wire?.marks.some((mark) => newest.includes(mark)))
}

/**
 * What the request asks for: the host's instructions, and everything from the user's latest message
 * on, except results of tools.
 */
function readNewest({ messages }: Conversation): string {
  const place = messages.findLastIndex(({ role }) => role === 'user')
  const isAsked = ({ role }: Message, index: number) =>
    role === 'system' || (index >= place && role !== 'tool')
  const parts = messages
    .filter(isAsked)
    .flatMap((message): readonly Message['parts'][number][] => message.parts)
  return parts
    .map((part) => (part.type === 'text' || part.type === 'opaque' ? part.text : ''))
    .join('\n')
}
