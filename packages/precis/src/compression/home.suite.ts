/** A home with sessions of five agents, as each agent stores them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import {
  createClaudeSession,
  createCodexSession,
  createUuid,
  writeFixture,
} from '../cli/command.suite.ts'

const PROJECT = '/work/shop'
const timestamp = '2026-04-01T10:00:00.000Z'
// Long ago, so the sessions are not in use.
const MODIFIED = new Date('2026-05-01T10:00:00.000Z')

/** Writes `count` sessions of each agent, beginning with number `first`. Returns their paths. */
export function writeSessions(
  home: string,
  count: number,
  { first = 1, turns = 8 } = {},
): string[] {
  return Array.from({ length: count }, (_, index) => first + index).flatMap((number) => {
    const id = createUuid(number * 0x1000000 + 7)
    const share = join(home, '.local', 'share', 'opencode')
    const paths = [
      writeFixture(
        join(home, '.claude', 'projects', '-work-shop', `${id}.jsonl`),
        createClaudeSession({ sessionId: id, turns, firstPrompt: `Fix the tax of cart ${number}` }),
      ),
      writeFixture(
        join(
          home,
          '.codex',
          'sessions',
          '2026',
          '04',
          '01',
          `rollout-2026-04-01T10-00-00-${id}.jsonl`,
        ),
        createCodexSession({ sessionId: id, turns: turns + 4 }),
      ),
      writeFixture(
        join(
          home,
          '.gemini',
          'tmp',
          'shop',
          'chats',
          `session-2026-04-01T10-00-${id.slice(0, 8)}.jsonl`,
        ),
        createGeminiSession(id, turns),
      ),
      writeFixture(
        join(
          home,
          '.pi',
          'agent',
          'sessions',
          '--work-shop--',
          `2026-04-01T10-00-00-000Z_${id}.jsonl`,
        ),
        createPiSession(id, turns),
      ),
      writeOpencodeSession(share, `ses_${String(number).padStart(8, '0')}abcdefghijkl`, turns),
    ]
    for (const path of paths) utimesSync(path, MODIFIED, MODIFIED)
    return paths
  })
}

function createGeminiSession(sessionId: string, turns: number): string {
  const records: object[] = [
    { sessionId, projectHash: sessionId, startTime: timestamp, lastUpdated: timestamp },
  ]
  for (let turn = 0; turn < turns; turn++) {
    const output = createText(turn)
    const response = {
      functionResponse: { id: `c${turn}`, name: 'read_file', response: { output } },
    }
    const args = { absolute_path: `${PROJECT}/cart${turn}.ts` }
    const call = {
      id: `c${turn}`,
      name: 'read_file',
      args,
      result: [response],
      status: 'success',
      timestamp,
    }
    records.push({
      id: `u${turn}`,
      timestamp,
      type: 'user',
      content: [{ text: `Look at step ${turn} of the tax.` }],
    })
    const said = { id: `g${turn}`, timestamp, type: 'gemini', content: `Step ${turn} is fine.` }
    records.push({ ...said, model: 'gemini-2.5-pro', toolCalls: [call] })
  }
  return toLines(records)
}

function createPiSession(id: string, turns: number): string {
  const entries: object[] = [{ type: 'session', version: 3, id, timestamp, cwd: PROJECT }]
  let parentId: string | null = null
  const add = (message: object) => {
    const entryId: string = entries.length.toString(16).padStart(8, '0')
    entries.push({ type: 'message', id: entryId, parentId, timestamp, message })
    parentId = entryId
  }
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15 }
  const model = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-5' }
  for (let turn = 0; turn < turns; turn++) {
    const toolCallId = `call_${turn}`
    add({ role: 'user', content: `Look at step ${turn} of the tax.`, timestamp: turn })
    const call = {
      type: 'toolCall',
      id: toolCallId,
      name: 'bash',
      arguments: { command: `cat cart${turn}.ts` },
    }
    add({
      role: 'assistant',
      content: [call],
      ...model,
      usage,
      stopReason: 'toolUse',
      timestamp: turn,
    })
    const content = [{ type: 'text', text: createText(turn) }]
    add({
      role: 'toolResult',
      toolCallId,
      toolName: 'bash',
      content,
      isError: false,
      timestamp: turn,
    })
    const text = { type: 'text', text: `Step ${turn} is fine.` }
    add({
      role: 'assistant',
      content: [text],
      ...model,
      usage,
      stopReason: 'stop',
      timestamp: turn,
    })
  }
  return toLines(entries)
}

/** In the files of the versions before the database. */
function writeOpencodeSession(folder: string, id: string, turns: number): string {
  const storage = join(folder, 'storage')
  const write = (path: readonly string[], value: object) =>
    writeFixture(join(storage, ...path), JSON.stringify(value, undefined, 2))
  const time = { created: 1_775_000_000_000, updated: 1_775_000_000_000 }
  for (let turn = 0; turn < turns; turn++) {
    const [asked, answered] = [`msg_${id}${turn}a`, `msg_${id}${turn}b`].map((name) =>
      name.replace('ses_', ''),
    )
    const own = { sessionID: id, time: { created: time.created + turn * 10 } }
    write(['message', id, `${asked}.json`], { id: asked, ...own, role: 'user' })
    const part = { id: `prt_${turn}a`, sessionID: id, messageID: asked, type: 'text' }
    write(['part', `${asked}`, `prt_${turn}a.json`], {
      ...part,
      text: `Look at step ${turn} of the tax.`,
    })
    const answer = { id: answered, sessionID: id, role: 'assistant', parentID: asked }
    const created = time.created + turn * 10 + 5
    write(['message', id, `${answered}.json`], {
      ...answer,
      time: { created, completed: created },
      modelID: 'claude-opus-4-5',
      providerID: 'anthropic',
      cost: 0,
      tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
    })
    const state = {
      status: 'completed',
      input: { filePath: `cart${turn}.ts` },
      output: createText(turn),
      title: 'cart',
      metadata: {},
      time: { start: created, end: created },
    }
    const tool = {
      id: `prt_${turn}b`,
      sessionID: id,
      messageID: answered,
      type: 'tool',
      callID: `call_${turn}`,
    }
    write(['part', `${answered}`, `prt_${turn}b.json`], { ...tool, tool: 'read', state })
  }
  const info = {
    id,
    version: '0.9.0',
    projectID: 'shop',
    directory: PROJECT,
    title: 'Fix the tax',
    time,
  }
  return write(['session', 'shop', `${id}.json`], info)
}

function createText(seed: number): string {
  return Array.from(
    { length: 40 },
    (_, line) =>
      `${line + 1}\texport const price${seed}_${line} = net${line} + shipping(${seed * line})`,
  ).join('\n')
}

function toLines(records: readonly object[]): string {
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
}

/** Every file below the folder, relative to it. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Bytes and times, to check whether the files were touched. */
export function describeFiles(paths: readonly string[]): string[] {
  return paths.map((path) => {
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
    return `${path} ${hash} ${statSync(path).mtimeMs}`
  })
}

const TIME = /20\d\d-\d\d-\d\dT\d\d[:-]\d\d[:\d.-]*Z?|\b1[78]\d{11}\b/g
const OWN_ID =
  /(?:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|ses_[0-9a-f]{26}|T\d\d-\d\d-[0-9a-f]{8})\.jsonl?$/

/** Everything that precis wrote into the home, by id, without times. */
export function readResults(home: string): Map<string, string> {
  const results = new Map<string, string>()
  for (const path of listFiles(home)) {
    const id = OWN_ID.exec(path)?.[0].replace(/^T\d\d-\d\d-/, '')
    if (id === undefined || path.includes('0000-4000-8000') || path.includes('2026-04-01')) continue
    results.set(id, readFileSync(join(home, path), 'utf8').replace(TIME, ''))
  }
  return results
}
