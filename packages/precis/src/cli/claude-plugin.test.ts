/**
 * Claude Code with the plugin and nothing else of precis. A compaction stands if every way back into
 * the session sends what the running process sends.
 */
import { execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { asObjects } from '../agents/shared/request-text.ts'
import { asText, type JsonObject, parseObject } from '../files/lines.ts'
import { createHome, writeFixture } from './command.suite.ts'
import {
  AGENTS_BIN,
  installAgents,
  isCompaction,
  type ScriptedModel,
  startModel,
} from './scripted-model.suite.ts'

const PLUGIN = fileURLToPath(new URL('../../../../plugins/claude-code', import.meta.url))
const CLAUDE = join(AGENTS_BIN, 'claude')
const WORDS = ['-p', '--dangerously-skip-permissions', '--plugin-dir', PLUGIN]
const SESSION = '00000000-0000-4000-8000-00000000000a'
const COMPACTIONS = 2
// With the command, the agent notes in a request when its server is connected.
const WITHOUT_PRECIS = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !existsSync(join(folder, 'precis')))
  .join(delimiter)

beforeAll(installAgents, 600_000)

describe('the plugin of Claude Code', { tags: ['agents'] }, () => {
  test.each([
    ['has nothing to warn of', ['validate', '--strict', '--profile', 'directory']],
    ['passes the tests that it brings', ['test']],
  ])('%s', async (_, words) => {
    const { stdout } = await promisify(execFile)(CLAUDE, ['plugin', ...words, PLUGIN], {
      env: { ...process.env, HOME: createHome() },
    })
    expect(stdout).toMatch(/Validation passed|[1-9]\d* pass\n/)
  })

  test('makes compactions that stand after a resume, a fork and a rewind, one after the other', async () => {
    const model = await startModel({ reportedTokens: 20_000, lines: 40 })
    const home = createHome()
    const directory = join(home, 'project')
    mkdirSync(directory)
    writeFixture(join(home, '.claude.json'), '{"hasCompletedOnboarding":true}')
    writeFixture(join(directory, 'big.txt'), 'src/part.ts is fine.\n'.repeat(400))
    const host = { model, directory }
    const live = talk(host, home)
    for (let round = 1; round <= COMPACTIONS; round++) {
      await live.say(`Never rename m${round}. RUN(cat big.txt)`)
      await live.say(`Go on, ${round}. RUN(cat big.txt)`)
      await live.say('/compact')
      await live.say(`After compaction ${round}. RUN(wc -l big.txt)`)
      const copies = { resume: copyHome(home), fork: copyHome(home), rewind: '' }
      const kept = findLastAnswer(home)
      const next = `What is next, ${round}?`
      await live.say(next)
      // Rewound to before these words, which are said again.
      copies.rewind = copyHome(home)
      const wanted = findMessages(model, next)
      const more = { resume: [], fork: ['--fork-session'], rewind: ['--resume-session-at', kept] }
      for (const way of ['resume', 'fork', 'rewind'] as const) {
        const since = model.listAsked().length
        await runOnce(host, copies[way], ['--resume', SESSION, ...more[way], next])
        expect(findMessages(model, next, since), `${way} ${round}`).toEqual(wanted)
      }
      expect(JSON.stringify(wanted)).toContain('Never rename m1.')
      expect(JSON.stringify(wanted).split('<conversation-summary ')).toHaveLength(2)
    }
    expect(model.listAsked().filter(isCompaction)).toEqual([])
  })
})

interface Host {
  readonly model: ScriptedModel
  readonly directory: string
}

const createOptions = ({ model, directory }: Host, home: string) => ({
  cwd: directory,
  env: {
    PATH: WITHOUT_PRECIS,
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
  },
})

/** One process for many messages. */
function talk(host: Host, home: string) {
  const streamed = ['--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json']
  const child = spawn(
    CLAUDE,
    [...WORDS, ...streamed, '--session-id', SESSION],
    createOptions(host, home),
  )
  onTestFinished(() => void child.kill())
  let isAnswered = () => {}
  createInterface(child.stdout).on('line', (line) => {
    if (parseObject(Buffer.from(line))?.type === 'result') isAnswered()
  })
  return {
    async say(content: string): Promise<void> {
      const answered = new Promise<void>((resolve) => {
        isAnswered = resolve
      })
      const message = { role: 'user', content }
      child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`)
      await answered
    },
  }
}

async function runOnce(host: Host, home: string, words: readonly string[]): Promise<void> {
  const running = promisify(execFile)(CLAUDE, [...WORDS, ...words], createOptions(host, home))
  running.child.stdin?.end()
  await running
}

function copyHome(home: string): string {
  const copy = createHome()
  cpSync(join(home, '.claude'), join(copy, '.claude'), { recursive: true })
  cpSync(join(home, '.claude.json'), join(copy, '.claude.json'))
  return copy
}

function findLastAnswer(home: string): string {
  const projects = join(home, '.claude/projects')
  const [folder = ''] = readdirSync(projects)
  const lines = readFileSync(join(projects, folder, `${SESSION}.jsonl`), 'utf8').split('\n')
  const records = lines.map((line) => parseObject(Buffer.from(line)))
  return asText(records.findLast((record) => record?.type === 'assistant')?.uuid) ?? ''
}

/** The messages of the first request with these words, without marks for the cache. */
function findMessages(model: ScriptedModel, words: string, since = 0): readonly JsonObject[] {
  const asked = model.listAsked().slice(since)
  const found = asked.find(({ body }) => JSON.stringify(body.messages).includes(words))
  const text = JSON.stringify(asObjects(found?.body.messages) ?? [], (key, value) =>
    key === 'cache_control' ? undefined : value,
  )
  // A message with one block may be written as its text.
  return JSON.parse(text).map(({ role, content }: JsonObject) => ({
    role,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  }))
}
