/** The promises of every agent. `agent.test.ts` makes one call for each agent. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { digest } from '@precis/core'
import { isUserRequest, readLedgerText, readText, renderPart } from '@precis/core/conversation'
import type { ByteSource } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import {
  type HostWords,
  lacks,
  type StoreSession,
} from '../../../core/src/formats/shared/host-words.suite.ts'
import { findNewestEntry } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { type CompressPorts, compressSession } from '../compression/compress-session.ts'
import { createWriter } from '../compression/destination.ts'
import { keepSession } from '../compression/keep-original.ts'
import { undoSession } from '../compression/undo-session.ts'
import { createMemorySource } from '../files/read-document.ts'
import { applyPlan } from '../installation/apply-plan.ts'
import { planInstallation, planRemoval } from '../installation/plan-change.ts'
import { findRecallTool } from '../installation/recall-tool.ts'
import { readSessionCompactions } from '../sessions/compactions.ts'
import { describeSession } from '../sessions/describe-session.ts'
import {
  findSessionPath,
  isSessionThere,
  listSessionFiles,
  openSession,
} from '../sessions/find-sessions.ts'
import { loadDocument, loadSession } from '../sessions/load-session.ts'
import { searchSession } from '../sessions/search-session.ts'
import { createTextSearch } from '../sessions/text-search.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import { type ScratchHome, useScratchHome } from './scratch-home.suite.ts'
import type { Agent } from './shared/agent.ts'

const ASKED = 'Why is the tax wrong in cart.ts?'
const TURNS = Array.from({ length: 30 }, (_, index) => [
  { role: 'user', content: index === 0 ? ASKED : `Step ${index}: look at line ${index * 7}.` },
  {
    role: 'assistant',
    content: `Line ${index * 7} reads: ${`the quick brown fox ${index} `.repeat(40)}`,
  },
])

/** An agent whose sessions precis only reads is tested with a session of `store`. */
export function testAgent(agent: Agent, store?: StoreSession): void {
  describe(agent.name, () => {
    const home = useScratchHome()
    const uses = createUseCases(agent, home)
    const createSession = agent.place ? uses.writeSession : () => storeSession(agent, store)
    testReading(agent, home, createSession)
    if (agent.place) testWriting(agent, home, uses)
    else testReadOnly(agent, createSession, uses)
  })
}

function createUseCases(agent: Agent, home: ScratchHome) {
  const agents = [agent]

  /** Named as the use cases find it. It is made from a conversation that no agent had. */
  async function writeSession(messages: readonly object[] = TURNS.flat()): Promise<CreatedSession> {
    const body = { model: 'claude-sonnet-4-5', messages }
    const source = createMemorySource(Buffer.from(JSON.stringify(body)))
    const document = { source, path: undefined, stats: undefined, close: () => {} }
    const session = loadDocument('a conversation', document, undefined, agents)
    const written = await compressSession(session, createRequest(1, agent), createPorts())
    if (written.type !== 'done' || written.destination.type !== 'agent')
      throw new Error('It has no place.')
    return written.destination
  }

  const createRequest = (fraction: number, to?: Agent) => ({
    settings: {
      strategy: 'auto',
      budget: { type: 'share', fraction } as const,
      summarizer: { name: digest().name },
    },
    to,
    destination: {},
  })

  const createPorts = (): CompressPorts => ({
    summarizer: digest(),
    archive: { database: join(home.path, 'archive.db'), quotaBytes: 1e9 },
    write: createWriter(
      () => Promise.reject(new Error('It has a place.')),
      () => {},
    ),
    note: () => {},
    progress: () => {},
  })

  async function compress(messages?: readonly object[]) {
    const original = await writeSession(messages)
    const session = await loadSession(original.path, undefined, agents)
    const compressed = await compressSession(session, createRequest(0.3), createPorts())
    session.document.close()
    if (compressed.type !== 'done' || compressed.destination.type !== 'agent')
      throw new Error('It was not compressed.')
    return { original, ...compressed.destination, report: compressed.report }
  }

  return { writeSession, createRequest, createPorts, compress }
}

interface CreatedSession {
  readonly path: string
  readonly sessionId: string
}

async function storeSession(agent: Agent, given?: StoreSession): Promise<CreatedSession> {
  const store = given ?? (await importSuite(agent)).storeSession
  if (!store) throw new Error(`"storeSession" is missing: a session of ${agent.format.name}.`)
  const sessionId = agent.ids.create('0c0ffee0-1111-4222-8333-444444444444')
  const { path, text } = store(sessionId, TURNS.flat())
  const whole = join(agent.findHome(process.env), path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, text)
  return { path: whole, sessionId }
}

function testReading(
  agent: Agent,
  home: ScratchHome,
  createSession: () => Promise<CreatedSession>,
): void {
  const agents = [agent]

  test('has a home that its environment decides, and nothing in one that is not there', () => {
    expect(agent.findHome(process.env).startsWith(home.path)).toBe(true)
    expect(agent.list(process.env)).toEqual([])
  })

  test('gives ids that are its own and do no harm in a path or a shell', () => {
    const uuid = randomUUID()
    const id = agent.ids.create(uuid)
    expect(agent.ids.create(uuid)).toBe(id)
    expect(agent.ids.whole.test(id)).toBe(true)
    expect(agent.ids.beginning.test(id.slice(0, 8))).toBe(true)
    for (const harm of ['', '..', `../${id}`, `${id}; ls`, `${id}\n`, '-rf'])
      expect(agent.ids.whole.test(harm)).toBe(false)
  })

  test('a session is listed, found by its id, described, opened and searched', async () => {
    const { path, sessionId } = await createSession()
    const files = listSessionFiles(agents)
    expect(files).toMatchObject([{ agent, path }])
    expect(files.map(describeSession)).toMatchObject([{ id: sessionId, firstPrompt: ASKED }])
    expect(findSessionPath(sessionId, agents)).toBe(path)
    expect(isSessionThere(path, agents)).toBe(true)
    const session = await loadSession(sessionId.slice(0, 12), undefined, agents)
    expect(session).toMatchObject({
      agent,
      head: { sessionId, firstPrompt: ASKED },
      damage: { lines: 0 },
    })
    session.document.close()
    const [file] = files
    const { found } = await searchSession(file!, createTextSearch('quick brown fox 7'))
    expect(found?.count).toBeGreaterThan(0)
  })

  test('the pieces that are kept are the document, and every record of a message is in one of them', async () => {
    const { path } = await createSession()
    const document = await openSession(path, agents)
    const pieces = Array.from(agent.splitRecords(document.source), ({ bytes, records }) => ({
      bytes: Uint8Array.from(bytes),
      records,
    }))
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(
      readFileSync(path, 'utf8'),
    )
    const known = new Set(pieces.flatMap(({ records }) => records))
    const { messages } = agent.format.parse(document.source)
    expect(
      messages.flatMap(({ records = [] }) => records).filter((record) => !known.has(record)),
    ).toEqual([])
    document.close()
  })

  test('its hook keeps a session under its id', async () => {
    const { path, sessionId } = await createSession()
    const database = join(home.path, 'archive.db')
    const kept = await keepSession(path, { database, quotaBytes: 1e9 }, 0, () => true)
    expect(kept?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(existsSync(database)).toBe(true)
    expect(sessionId).not.toBe('')
  })

  test('what is no session of it harms nobody', () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"a":1}\n{"b":2',
      '{"type":"cost-state","startTime":{"toString":1}}\n',
      `${'['.repeat(5_000)}`,
      '\0'.repeat(100),
    ]) {
      const source: ByteSource = createMemorySource(Buffer.from(text))
      expect(agent.readHead(source).firstPrompt).toBeUndefined()
      expect(agent.readRequests(source)).toEqual([])
      expect(agent.readTimes(source)).toBeUndefined()
      expect(agent.readTitle?.(source)).toBeUndefined()
      expect(agent.readContextTokens?.(source)).toBeUndefined()
      expect(agent.readCompactions?.(source) ?? []).toEqual([])
      expect(() => agent.readSums?.(source)).not.toThrow()
      expect(
        Buffer.concat(
          Array.from(agent.splitRecords(source), ({ bytes }) => Uint8Array.from(bytes)),
        ).toString(),
      ).toBe(text)
    }
    // No text can be made of it.
    const type = { toString: 1 }
    expect(() => agent.holdsContent?.({ type, payload: {} })).not.toThrow()
    const gone = {
      agent,
      id: 'x',
      shortId: 'x',
      path: join(home.path, 'gone.json'),
      bytes: 0,
      modified: new Date(0),
    }
    expect(describeSession(gone)).toMatchObject({
      firstPrompt: undefined,
      contextTokens: undefined,
    })
  })

  test.skipIf(!agent.installation)(
    'precis is put into its files and taken out without a trace',
    async () => {
      const before = home.list()
      const entries =
        agent.installation?.listEntries({
          environment: process.env,
          command: home.places.command,
        }) ?? []
      expect(findRecallTool(agent)).toBeUndefined()
      await applyPlan(planInstallation(agent, entries))
      expect(findRecallTool(agent)).toEqual({ toolName: agent.installation?.recallTool })
      await applyPlan(planRemoval(agent, entries))
      expect(home.list()).toEqual(before)
    },
  )
}

function testWriting(
  agent: Agent,
  home: ScratchHome,
  { writeSession, createRequest, createPorts, compress }: ReturnType<typeof createUseCases>,
): void {
  const agents = [agent]

  test('a session continues in an agent that shares its format', { tags: 'slow' }, async () => {
    const { path } = await writeSession()
    const findHome = () => join(home.path, 'twin')
    const twin: Agent = {
      ...agent,
      name: 'twin',
      findHome,
      place: ({ sessionId }) => join(findHome(), sessionId),
    }
    const session = await loadSession(path, undefined, agents)
    const result = await compressSession(session, createRequest(0.5, twin), createPorts())
    session.document.close()
    expect(result).toMatchObject({
      type: 'done',
      session: { agent: twin },
      destination: { type: 'agent' },
    })
    expect(
      result.type === 'done' && 'path' in result.destination && result.destination.path,
    ).toContain(findHome())
  })

  test('what it says itself is no word of the user, and what the user answers it is', {
    tags: 'slow',
  }, async () => {
    const words = await readHostWords(agent)
    const { original, path } = await compress([...listSpoken(words), ...TURNS.flat().slice(4)])
    const [first] = listSessionFiles(agents).filter((file) => file.path === original.path)
    expect(first && describeSession(first)).toMatchObject({ firstPrompt: ASKED })
    const { document, conversation } = await loadSession(path, undefined, agents)
    const said = conversation.messages
      .map((message) => readLedgerText(message) ?? (isUserRequest(message) && readText(message)))
      .join('\n')
    document.close()
    expect(said).toContain(ASKED)
    for (const own of [words.reminder, words.summary])
      if (typeof own === 'string') expect(said).not.toContain(own.slice(0, 20))
    const ledger = conversation.messages.map(readLedgerText).join('')
    // A short session keeps the answer itself.
    const results = conversation.messages.filter(({ role }) => role === 'tool')
    const answers = [ledger, ...results.flatMap(({ parts }) => parts.map(renderPart))].join('\n')
    if (!lacks(words.question)) expect(answers).toContain(words.question.answer)
    if (!lacks(words.refusal)) expect(ledger).toContain(words.refusal.said ?? '')
  })

  test('a compressed session is placed and listed beside its original, with the command that resumes it', async () => {
    const { original, path, sessionId, placement, report } = await compress()
    expect(report.after.tokens).toBeLessThan(report.before.tokens)
    expect(path).not.toBe(original.path)
    expect(listSessionFiles(agents).map((file) => file.path)).toContain(path)
    expect(agent.ids.whole.test(sessionId)).toBe(true)
    expect(
      [undefined, process.cwd()].map((directory) => agent.resume({ sessionId, path, directory })),
    ).toContain(placement.resumeCommand)
    expect(placement.resumeCommand).not.toMatch(/[\n\r]/)
  })

  test('a session that precis wrote or compressed was not compacted within', {
    tags: 'slow',
  }, async () => {
    const { original, path } = await compress()
    for (const written of [original.path, path]) {
      const document = await openSession(written, agents)
      expect(readSessionCompactions(agent, document.source)).toEqual([])
      document.close()
    }
  })

  test('a compression is undone, also where the original is gone', { tags: 'slow' }, async () => {
    const { original, path, sessionId } = await compress()
    const text = readFileSync(original.path, 'utf8')
    const { archive, write } = createPorts()
    const database = await createArchive(archive?.database)
    try {
      const entry = await findNewestEntry(database, sessionId)
      const ports = { database, quotaBytes: 1e9, write, agents, onLoaded: () => {} }
      expect(await undoSession(path, entry, {}, ports)).toMatchObject({
        action: 'original',
        agentName: agent.title,
      })
      rmSync(original.path)
      const undone = await undoSession(path, entry, {}, ports)
      expect(undone).toMatchObject({ action: 'put-back', output: original.path })
      expect(undone.resumeCommand).toBeDefined()
      expect(readFileSync(original.path, 'utf8')).toBe(text)
    } finally {
      await database.close()
    }
  })
}

function testReadOnly(
  agent: Agent,
  createSession: () => Promise<CreatedSession>,
  { createRequest, createPorts }: ReturnType<typeof createUseCases>,
): void {
  const agents = [agent, claudeCode]

  test('a session continues in another agent, and in its own only as it is', async () => {
    const { path } = await createSession()
    const text = readFileSync(path, 'utf8')
    const session = await loadSession(path, undefined, agents)
    await expect(compressSession(session, createRequest(0.3), createPorts())).rejects.toMatchObject(
      { code: 'unwritable', message: expect.stringContaining(agent.title) },
    )
    const result = await compressSession(session, createRequest(0.3, claudeCode), createPorts())
    session.document.close()
    expect(result).toMatchObject({ type: 'done', session: { agent: claudeCode } })
    if (result.type !== 'done' || result.destination.type !== 'agent')
      throw new Error('It has no place.')
    const continued = await loadSession(result.destination.path, undefined, agents)
    expect(continued.conversation.messages.map(readText).join()).toContain(ASKED)
    continued.document.close()
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(agent.resume({ sessionId: 'x', path, directory: undefined })).not.toMatch(/[\n\r]/)
  })
}

/** How the agent speaks, from the folder of its format. */
async function readHostWords(agent: Agent): Promise<HostWords> {
  const { hostWords } = await importSuite(agent)
  if (!hostWords) throw new Error(`"hostWords" is missing: how ${agent.format.name} speaks.`)
  return hostWords
}

async function importSuite({ format }: Agent): Promise<{
  readonly hostWords?: HostWords
  readonly storeSession?: StoreSession
}> {
  const file = `../../../core/src/formats/${format.name}/session.suite.ts`
  return await import(new URL(file, import.meta.url).href)
}

/** The beginning of a session in which the agent uses all words of its own. */
function listSpoken({ reminder, question, refusal, summary }: HostWords): object[] {
  const call = (id: string, name: string, input: object, content: string, is_error: boolean) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  ]
  const own = [summary, reminder].flatMap((text) =>
    typeof text === 'string'
      ? [
          { role: 'user', content: text },
          { role: 'assistant', content: 'I see.' },
        ]
      : [],
  )
  return [
    ...own,
    ...TURNS.flat().slice(0, 3),
    ...(lacks(question) ? [] : call('c1', question.tool, question.input, question.output, false)),
    ...(lacks(refusal) ? [] : call('c2', 'Bash', { command: 'ls' }, refusal.output, true)),
  ]
}
