/** One agent through the script, and what its files and its requests are made of. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Format } from '../../packages/core/src/formats/index.ts'
import { isJsonObject, readMember } from '../../packages/core/src/formats/shared/json.ts'
import { agents } from '../../packages/precis/src/agents/index.ts'
import { createMemorySource } from '../../packages/precis/src/files/read-document.ts'
import { startFakeUpstream } from '../../test/fake-upstream/start-fake-upstream.ts'
import { AFTER_COMPACTION, type Driver, FIRST_WORDS, IN_FORK, type Run } from './driver.ts'
import type { InstalledAgent } from './install.ts'
import { scriptedModel } from './scripted-model.ts'
import { describeRecords, mergeShapes, type Shapes } from './shapes.ts'

/** What an agent of one version writes and sends, as precis knows it. */
export interface AgentShapes {
  readonly agent: string
  readonly version: string
  /** Of its session files, by kind of record. */
  readonly records: Shapes
  /** Of the bodies of its requests, by the API. */
  readonly requests: Shapes
  /** Kinds of parts that its format keeps without understanding them. */
  readonly opaque: readonly string[]
}

export interface Surveyed {
  readonly shapes: AgentShapes
  /** The text of the first session. */
  readonly session: string
  /** Steps of the script that did not happen, in words. */
  readonly missing: readonly string[]
}

export async function survey(
  driver: Driver,
  { version, command }: InstalledAgent,
  scratch: string,
): Promise<Surveyed> {
  const upstream = await startFakeUpstream(scriptedModel)
  try {
    const run = createRun(join(scratch, 'runs', driver.agent), command, upstream.url)
    const sessions = await driver.drive(run)
    const [session = ''] = sessions
    const bodies = upstream.requests.flatMap(({ protocol, raw, method }) =>
      protocol && method === 'POST' ? [{ [protocol]: describeRecords([JSON.parse(raw)]) }] : [],
    )
    const requests = bodies.flatMap((body) =>
      Object.entries(body).map(([api, shapes]) => ({ [api]: Object.values(shapes).flat() })),
    )
    const shapes: AgentShapes = {
      agent: driver.agent,
      version,
      records: mergeShapes(...sessions.map((text) => describeRecords(readRecords(text)))),
      requests: mergeShapes(...requests),
      opaque: listOpaque(driver.agent, sessions),
    }
    return { shapes, session: anonymize(session, run), missing: findMissing(driver, sessions) }
  } finally {
    await upstream.close()
  }
}

function createRun(folder: string, command: readonly string[], upstream: string): Run {
  rmSync(folder, { recursive: true, force: true })
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  const write: Run['write'] = (path, content) => {
    const isDone = typeof content === 'string' || content instanceof Uint8Array
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, isDone ? content : JSON.stringify(content, null, 2))
  }
  write(join(project, 'a.txt'), 'one\ntwo\n')
  mkdirSync(home, { recursive: true })
  return {
    command,
    home,
    project,
    upstream,
    environment: createEnvironment(home, upstream),
    write: (path, content) => write(join(home, path), content),
  }
}

/** The agents ask nobody but the script, and look for no newer version. */
function createEnvironment(home: string, upstream: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: upstream,
    ANTHROPIC_API_KEY: 'made-up',
    OPENAI_API_KEY: 'made-up',
    GEMINI_API_KEY: 'made-up',
    GOOGLE_GEMINI_BASE_URL: upstream,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    CODEX_HOME: join(home, '.codex'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_TELEMETRY_LEVEL: 'off',
    PI_OFFLINE: '1',
    PI_SKIP_VERSION_CHECK: '1',
  }
}

/** The lines of a log; of a session that is one object what it holds. */
export function readRecords(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > 1 && lines.every((line) => line.startsWith('{') && line.endsWith('}'))) {
    return lines.map((line): unknown => JSON.parse(line))
  }
  const document: unknown = JSON.parse(text)
  const messages = readMember(document, 'messages')
  if (!isJsonObject(document) || !Array.isArray(messages)) return [document]
  const parts = messages.flatMap((message: unknown) => readMember(message, 'parts') ?? [])
  const infos = messages.map((message: unknown) => ({
    type: 'message',
    message: readMember(message, 'info') ?? message,
  }))
  return [{ type: 'session', ...document, messages: undefined }, ...infos, ...parts]
}

/** Agents may share a format. */
export const findFormat = (agent: string): Format | undefined =>
  agents.find(({ name }) => name === agent)?.format

function listOpaque(agent: string, sessions: readonly string[]): string[] {
  const format = findFormat(agent)
  const kinds = sessions.flatMap((text) => {
    if (!format || format.detect(text) < 0.5) return []
    try {
      return format.parse(text).messages.flatMap(({ parts }) => parts.flatMap(findKinds))
    } catch {
      // The transcript of a sub-agent is no session.
      return []
    }
  })
  return [...new Set(kinds)].toSorted()
}

function findKinds(part: object): string[] {
  if ('output' in part && Array.isArray(part.output)) return part.output.flatMap(findKinds)
  return 'kind' in part && typeof part.kind === 'string' ? [part.kind] : []
}

/** What is not in the sessions, though it was in the script. */
function findMissing({ agent, lacks }: Driver, sessions: readonly string[]): string[] {
  const [first = '', ...others] = sessions
  const known = agents.find(({ name }) => name === agent)
  const source = createMemorySource(Buffer.from(first))
  const compactions = known?.readCompactions?.(source).length ?? 0
  const steps: [string, boolean][] = [
    ['a prompt', first.includes(FIRST_WORDS)],
    ['a tool call with its result', first.includes('one\\ntwo') || first.includes('one\\\\ntwo')],
    ['a question', /\\?"right\\?"|: right|=right/.test(first)],
    ['a refused call', /not that|rejected|declined|cancel|denied|doesn't want/i.test(first)],
    ['a picture', first.includes('iVBORw0KGgo')],
    ['a sub-agent', sessions.some((text) => text.includes('Look around.'))],
    ['a compaction', compactions > 0 || others.some((text) => text.includes('compaction_summary'))],
    ['a prompt after the compaction', first.includes(AFTER_COMPACTION)],
    ['a fork', others.some((text) => text.includes(IN_FORK))],
  ]
  return steps.flatMap(([step, happened]) => (happened || lacks.includes(step) ? [] : [step]))
}

const anonymize = (text: string, { home, project }: Run) =>
  text.replaceAll(project, '/work/project').replaceAll(home, '/home/user')
