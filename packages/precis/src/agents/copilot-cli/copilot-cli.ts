import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type {
  Agent,
  BilledRequest,
  Environment,
  RecordedCompaction,
  SessionHead,
  Timeline,
} from '../shared/agent.ts'
import { splitPrompt } from '../shared/billed.ts'
import { createMcpEntry } from '../shared/entry.ts'
import type { Installation } from '../shared/installation.ts'
import { estimated, recorded } from '../shared/measured.ts'
import { changeDirectory, listFiles, uuidIds } from '../shared/session-files.ts'
import {
  parseTimelineRows,
  readDate,
  readLineHead,
  readLineTimes,
  readLineTokens,
  readMarkedRecords,
  readPrompt,
  readTime,
  readTimelineRows,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'

const LOG = 'events.jsonl'
const COMPACTION = 'session.compaction_complete'

/** In `mcp-config.json`, as `copilot mcp add` of 1.0.102 writes it. */
const installation: Installation = {
  recallTool: 'precis-recall',
  bestWay: {
    commands: ['precis install copilot-cli'],
    does: 'does nothing, and its tools search removed text',
    cost: 'one request',
  },
  findTraces: (environment) => [findFolder(environment)],
  listEntries: ({ environment, command }) => [
    createMcpEntry(join(findFolder(environment), 'mcp-config.json'), ['mcpServers'], command, {
      type: 'local',
      tools: ['*'],
    }),
  ],
}

/** `~/.copilot/session-state/<id>/events.jsonl` */
export const copilotCli: Agent = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  format: formats['copilot-cli'],
  ids: uuidIds,
  homeVariables: ['COPILOT_HOME'],
  findHome,
  list: (environment) =>
    listFiles(findHome(environment), { levels: [1, 1], pattern: /^(events\.jsonl)$/ }).flatMap(
      (file) => {
        const id = basename(dirname(file.path))
        return uuidIds.whole.test(id) ? [{ ...file, id }] : []
      },
    ),
  readHead: (source) => readLineHead(source, readEventHead),
  readContextTokens: (source) =>
    readLineTokens(source, ['"session.usage_record"', `"${COMPACTION}"`], countEvent),
  readTimes: readLineTimes,
  readRequests,
  readTimeline,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  holdsContent: ({ type }) =>
    typeof type === 'string' &&
    /^(?:user\.message|assistant\.message|tool\.execution_complete)$/.test(type),
  place: ({ environment, sessionId }) => join(findHome(environment), sessionId, LOG),
  resume: ({ directory, sessionId }) => changeDirectory(directory, `copilot --resume=${sessionId}`),
  installation,
}

function findFolder({ COPILOT_HOME }: Environment): string {
  return COPILOT_HOME || join(homedir(), '.copilot')
}

function findHome(environment: Environment): string {
  return resolve(findFolder(environment), 'session-state')
}

function readEventHead({ type, data, agentId }: JsonObject): Partial<SessionHead> {
  const fields = asObject(data) ?? {}
  const isTyped = type === 'user.message' && agentId === undefined && fields.source === undefined
  return {
    sessionId: asText(fields.sessionId),
    workingDirectory: asText(asObject(fields.context)?.cwd),
    firstPrompt: isTyped ? readPrompt(fields.content) : undefined,
  }
}

/** Usage before a compaction does not show the size after it. Sub-agents have their own. */
function countEvent({ type, data, agentId }: JsonObject): number | undefined {
  if (agentId !== undefined) return 0
  if (type === COMPACTION) return undefined
  const usage = asObject(asObject(data)?.usage)
  return asCount(usage?.inputTokens) + asCount(usage?.outputTokens)
}

function readRequests(source: ByteSource): BilledRequest[] {
  return [...readMarkedRecords(source, '"session.usage_record"')].flatMap(([event, record]) => {
    const usage = asObject(asObject(event.data)?.usage)
    return event.type === 'session.usage_record' && usage ? [readUsage(usage, record, event)] : []
  })
}

function readUsage(
  usage: JsonObject,
  record: number,
  { timestamp, id }: JsonObject,
): BilledRequest {
  return {
    model: asText(usage.model) ?? '',
    record,
    timeMs: readTime(timestamp),
    id: asText(id),
    ...splitPrompt(usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens),
    output: asCount(usage.outputTokens),
  }
}

function readCompactions(source: ByteSource): RecordedCompaction[] {
  return [...readMarkedRecords(source, COMPACTION)].flatMap(([event, record]) => {
    const data = asObject(event.data)
    return event.type === COMPACTION && data?.success === true
      ? [readCompaction(event, data, record)]
      : []
  })
}

const TRIGGERS: ReadonlyMap<unknown, RecordedCompaction['trigger']> = new Map([
  ['manual', 'manual'],
  ['auto', 'automatic'],
  ['automatic', 'automatic'],
] as const)

function readCompaction(
  { timestamp, id }: JsonObject,
  data: JsonObject,
  record: number,
): RecordedCompaction {
  const usage = asObject(data.compactionTokensUsed)
  return {
    record,
    lastRecord: record,
    time: readDate(timestamp),
    trigger: TRIGGERS.get(data.trigger),
    durationMs: usage ? recorded(asCount(usage.duration)) : undefined,
    tokensBefore: estimated(asCount(data.preCompactionTokens)),
    tokensAfter: estimated(asCount(data.postCompactionTokens)),
    ...readWrittenSummary(asText(data.summaryContent)),
    ...(usage && { request: readUsage(usage, record, { timestamp, id }) }),
  }
}

/** The history as if nothing had been compacted. */
function readTimeline(source: ByteSource): Timeline {
  const rows = readTimelineRows(source)
  const isCompaction = ({ type, data }: JsonObject) =>
    type === COMPACTION && asObject(data)?.success === true
  const plain = rows.filter(({ value }) => !isCompaction(value))
  return {
    timed: parseTimelineRows(formats['copilot-cli'], plain),
    compactions: rows.length - plain.length,
  }
}
