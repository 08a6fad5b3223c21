import { join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { Agent, BilledRequest, Environment, SessionHead } from '../shared/agent.ts'
import { readAnswerParts, splitPrompt } from '../shared/billed.ts'
import { changeDirectory, findProjectName, listFiles, uuidIds } from '../shared/session-files.ts'
import {
  readLineHead,
  readLineTimes,
  readLineTitle,
  readLineTokens,
  readMarkedRecords,
  readPrompt,
  readTime,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { isCompression, readCompactions, readTimeline } from './compactions.ts'
import { headless } from './headless.ts'
import { findFolder, installation } from './installation.ts'

// The folder also has `<id>.runtime.json` of open sessions.
const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CHATS = 'chats'

/** `~/.qwen/projects/<directory>/chats/<id>.jsonl` */
export const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  aliases: ['qwen'],
  format: formats['qwen-code'],
  ids: uuidIds,
  homeVariables: ['QWEN_HOME', 'QWEN_RUNTIME_DIR'],
  findHome,
  list: (environment) =>
    listFiles(findHome(environment), { levels: [2, 2], pattern: SESSION_FILE }).filter(({ path }) =>
      /[\\/]chats[\\/][^\\/]+$/.test(path),
    ),
  readHead: (source) => readLineHead(source, readEntryHead),
  readTitle: (source) =>
    readLineTitle(source, {
      fields: ['"custom_title"'],
      read: ({ subtype, systemPayload }) =>
        subtype === 'custom_title' ? asObject(systemPayload)?.customTitle : undefined,
    }),
  readContextTokens: (source) =>
    readLineTokens(source, ['"usageMetadata"', '"chat_compression"'], countEntry),
  // Recorded with an answer, for models that Qwen Code knows.
  readWindowTokens: (source) =>
    readLineTokens(source, ['"contextWindowSize"'], (entry) => asCount(entry.contextWindowSize)),
  readTimes: readLineTimes,
  readRequests,
  readTimeline,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  holdsContent: ({ type, subtype }) => type !== 'system' || subtype === 'chat_compression',
  place(request) {
    const home = findHome(request.environment)
    const project = findProjectName(home, request, nameFolder)
    return join(home, project, CHATS, `${request.sessionId}.jsonl`)
  },
  resume: ({ directory, sessionId }) => changeDirectory(directory, `qwen --resume ${sessionId}`),
  installation,
  headless,
}

function findHome(environment: Environment): string {
  return resolve(environment.QWEN_RUNTIME_DIR || findFolder(environment), 'projects')
}

const nameFolder = (directory: string): string => directory.replace(/[^a-zA-Z0-9]/g, '-')

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  const { type, subtype, provenance, message } = entry
  const isTyped =
    type === 'user' &&
    subtype === undefined &&
    (provenance === undefined || provenance === 'real_user')
  return {
    sessionId: asText(entry.sessionId),
    workingDirectory: asText(entry.cwd),
    firstPrompt: isTyped ? readPrompt(asObject(message)?.parts) : undefined,
  }
}

/** Usage before a compression does not show the size after it. */
function countEntry(entry: JsonObject): number | undefined {
  if (isCompression(entry)) return undefined
  return asCount(asObject(entry.usageMetadata)?.totalTokenCount)
}

function readRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  for (const [entry, record] of readMarkedRecords(source, '"usageMetadata"')) {
    const usage = asObject(entry.usageMetadata)
    const model = asText(entry.model)
    if (!usage || model === undefined) continue
    const prompt = asCount(usage.promptTokenCount)
    // Some providers count thoughts as part of the answer.
    const output = asCount(usage.totalTokenCount) - prompt
    requests.push({
      model,
      record,
      timeMs: readTime(entry.timestamp),
      id: asText(entry.uuid),
      answer: readAnswerParts(asObject(entry.message)?.parts),
      ...splitPrompt(prompt, Math.min(asCount(usage.cachedContentTokenCount), prompt)),
      output: Math.max(output, asCount(usage.candidatesTokenCount)),
    })
  }
  return requests
}
