/**
 * The real agents with `precis wrap`, and a script as their model. `AGENTS_BIN` names the folder of
 * their programs. If it is not set, known versions are installed once into a temporary folder. Only
 * that uses the network.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { asObject } from '../files/lines.ts'
import { createHome, BIN as PRECIS, startPrecis, writeFixture } from './command.suite.ts'
import {
  AGENTS_BIN,
  installAgents,
  isCompaction,
  type ScriptedModel,
  startModel,
} from './scripted-model.suite.ts'

const FIRST = 'Never touch generated files. Tell me about this folder.'
const COMPACTIONS = 3
// On a busy machine, an agent takes a minute to start.
const MOST_MS = 240_000
const MOST_ROUNDS = 15

beforeAll(installAgents, 600_000)

interface Drive {
  readonly agent: string
  readonly upstream: string
  readonly environment: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

/** Starts the agent once with its own gateway, in one home and one folder. */
function createDriver(home: string, { agent, upstream, environment, words }: Drive) {
  const directory = join(home, 'project')
  mkdirSync(directory, { recursive: true })
  return async (...more: readonly string[]) => {
    const result = await startPrecis(
      home,
      ['wrap', agent, `--upstream-${upstream}`, '--', ...words, ...more],
      {
        directory,
        environment: {
          PATH: `${AGENTS_BIN}:${process.env.PATH}`,
          TERM: 'dumb',
          IS_SANDBOX: '1',
          ...environment,
        },
        onStart: (child) => void setTimeout(() => child.kill(), MOST_MS).unref(),
      },
    )
    expect(result, result.stderr.slice(-2000)).toMatchObject({ code: 0 })
    return result
  }
}

/** What precis archived and answered, according to its own report. */
async function countAnswers(home: string): Promise<number> {
  const { stdout } = await startPrecis(home, ['archive', '--json'])
  const { entries } = asObject(JSON.parse(stdout)) ?? {}
  return Array.isArray(entries) ? entries.length : 0
}

describe('a real agent behind precis', { tags: 'agents' }, () => {
  test('Claude Code goes on after three compactions by hand', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 20_000 })
    const claude = createClaudeDriver(home, model.url, { DISABLE_AUTO_COMPACT: '1' })
    await claude(FIRST)
    for (let round = 1; round <= COMPACTIONS; round++) {
      await claude('--continue', `Go on, ${round}.`)
      await claude('--continue', '/compact')
    }
    await claude('--continue', 'And at last?')
    await expectAnswered(home, model)
  })

  test('Claude Code goes on after three compactions of its own', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 150_000 })
    const claude = createClaudeDriver(home, model.url, {
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
    })
    await claude(FIRST)
    await untilCompacted(home, (words) => claude('--continue', words))
    await expectAnswered(home, model)
  })

  test('Claude Code is told the words of the user once, where hooks of precis are installed too', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 20_000 })
    const claude = createClaudeDriver(home, model.url, { DISABLE_AUTO_COMPACT: '1' })
    await startPrecis(home, ['install', 'claude-code'])
    await claude(FIRST)
    for (let round = 1; round <= COMPACTIONS; round++) {
      await claude('--continue', `Go on, ${round}.`)
      await claude('--continue', '/compact')
    }
    await claude('--continue', 'And at last?')
    const body = model.listAsked().at(-1)?.received.body.toString() ?? ''
    for (const words of [FIRST, 'Go on, 1.', 'Go on, 2.', 'Go on, 3.'])
      expect(body.split(words)).toHaveLength(2)
    expect(body.split('<conversation-summary ')).toHaveLength(2)
  })

  test('Codex goes on after three compactions of its own', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 60_000 })
    const codex = createDriver(home, {
      agent: 'codex',
      upstream: `openai=${model.url}/v1`,
      environment: { CODEX_API_KEY: 'sk-x' },
      words: [
        '-c',
        'model_auto_compact_token_limit=50000',
        'exec',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
      ],
    })
    await codex(FIRST)
    for (let round = 1; round <= COMPACTIONS; round++)
      await codex('resume', '--last', `Go on, ${round}.`)
    await expectAnswered(home, model)
  })

  test('OpenCode goes on after compactions of its own', async () => {
    const home = createHome()
    const model = await startModel()
    const limit = { context: 30_000, output: 8000 }
    const settings = { provider: { anthropic: { models: { 'claude-sonnet-4-5': { limit } } } } }
    writeFixture(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings))
    const opencode = createDriver(home, {
      agent: 'opencode',
      upstream: `anthropic=${model.url}`,
      environment: {
        ANTHROPIC_API_KEY: 'sk-ant-api03-x',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
      words: ['run', '-m', 'anthropic/claude-sonnet-4-5'],
    })
    await opencode(FIRST)
    await untilCompacted(home, (words) => opencode('--continue', words))
    await expectAnswered(home, model)
  })

  test('Gemini CLI goes on after three compressions of its own', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 60_000 })
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { compressionThreshold: 0.01 },
      privacy: { usageStatisticsEnabled: false },
    }
    writeFixture(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    const gemini = createDriver(home, {
      agent: 'gemini',
      upstream: `google=${model.url}`,
      environment: { GEMINI_API_KEY: 'x' },
      words: ['-m', 'gemini-2.5-pro', '--skip-trust', '--yolo'],
    })
    await gemini('-p', FIRST)
    await untilCompacted(home, (words) => gemini('--resume', 'latest', '-p', words))
    await expectAnswered(home, model)
  })
})

describe('the own compactions of a real agent, by a model that forgets', { tags: 'agents' }, () => {
  const plugins = fileURLToPath(new URL('../../../..', import.meta.url))
  const CLAUDE = {
    ANTHROPIC_API_KEY: 'sk-ant-api03-x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_AUTO_COMPACT: '1',
    IS_SANDBOX: '1',
  }

  /**
   * Compacts three times. Returns the model's last request, and a line that starts the program in
   * the same home.
   */
  async function compactThrice(
    prepare: (home: string, claude: (...words: string[]) => Promise<string>) => Promise<void>,
  ) {
    const home = createHome()
    const model = await startModel({ reportedTokens: 20_000 })
    writeFixture(join(home, '.claude.json'), '{"hasCompletedOnboarding":true}')
    const commands = writeFixture(
      join(home, 'bin/precis'),
      `#!/bin/sh\nexec "${process.execPath}" "${PRECIS}" "$@"\n`,
    )
    chmodSync(commands, 0o755)
    const PATH = `${dirname(commands)}:${AGENTS_BIN}:${process.env.PATH}`
    const claude = async (...words: string[]) => {
      const options = {
        cwd: home,
        env: { HOME: home, PATH, ANTHROPIC_BASE_URL: model.url, ...CLAUDE },
        timeout: MOST_MS,
      }
      const running = promisify(execFile)('claude', words, options)
      running.child.stdin?.end()
      return (await running).stdout
    }
    await prepare(home, claude)
    await claude('-p', FIRST)
    for (let round = 1; round <= COMPACTIONS; round++) {
      await claude('--continue', '-p', `Go on, ${round}.`)
      await claude('--continue', '-p', '/compact')
    }
    await claude('--continue', '-p', 'And at last?')
    const asked = model.listAsked()
    return {
      compactions: asked.filter(isCompaction).length,
      last: asked.at(-1)?.received.body.toString() ?? '',
    }
  }

  const expectWords = (body: string) => {
    for (const words of ['Never touch generated files.', 'Go on, 1.', 'Go on, 2.', 'Go on, 3.'])
      expect(body).toContain(words)
    expect(body.split('<conversation-summary ')).toHaveLength(2)
  }
  const install = async (home: string) => void (await startPrecis(home, ['install', 'claude-code']))
  const addPlugin = async (_: string, claude: (...words: string[]) => Promise<string>) => {
    await claude('plugin', 'marketplace', 'add', plugins)
    await claude('plugin', 'install', 'precis@precis')
  }

  test('of Gemini CLI are repaired with the next prompt, once, with all words of the user', async () => {
    const home = createHome()
    const model = await startModel({ reportedTokens: 60_000 })
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { compressionThreshold: 0.01 },
      privacy: { usageStatisticsEnabled: false },
    }
    writeFixture(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    await startPrecis(home, ['install', 'gemini-cli'])
    const PATH = `${AGENTS_BIN}:${process.env.PATH}`
    const env = {
      HOME: home,
      PATH,
      TERM: 'dumb',
      GEMINI_API_KEY: 'x',
      GOOGLE_GEMINI_BASE_URL: model.url,
    }
    const gemini = async (...words: string[]) => {
      const options = ['-m', 'gemini-2.5-pro', '--skip-trust', '--yolo', ...words]
      const running = promisify(execFile)('gemini', options, { cwd: home, env, timeout: MOST_MS })
      running.child.stdin?.end()
      await running
    }
    const listBodies = () => model.listAsked().map(({ received }) => received.body.toString())
    await gemini('-p', FIRST)
    const said = [FIRST]
    const headings = new Set<string>()
    for (let round = 1; headings.size < 2; round++) {
      expect(round).toBeLessThan(MOST_ROUNDS)
      said.push(`Go on, ${round}.`)
      await gemini('--resume', 'latest', '-p', `Go on, ${round}.`)
      const body = listBodies().at(-1) ?? ''
      const [heading] = /<hook_context>Of before the compression in record \d+/.exec(body) ?? []
      if (heading === undefined) continue
      if (!headings.has(heading))
        for (const words of said.slice(0, -1)) expect(body).toContain(words)
      expect(body.split(heading)).toHaveLength(2)
      headings.add(heading)
    }
  })

  test('loses the words of the user without precis', async () => {
    const { last } = await compactThrice(async () => {})
    expect(last).not.toContain('Never touch generated files.')
  })

  test('are repaired by what precis installed: once, with all words of the user', async () => {
    const { compactions, last } = await compactThrice(install)
    // If a summary has no tags, the agent asks again.
    expect(compactions).toBeGreaterThanOrEqual(COMPACTIONS)
    expectWords(last)
    expect(last).toContain('call mcp__precis__recall with')
  })

  test.each([
    ['the plugin', addPlugin],
    [
      'the plugin beside what precis installed',
      async (home: string, claude: (...words: string[]) => Promise<string>) => {
        await install(home)
        await addPlugin(home, claude)
      },
    ],
  ] as const)('do not happen with %s: it compacts, and no model is asked', async (_, prepare) => {
    const { compactions, last } = await compactThrice(prepare)
    expect(compactions).toBe(0)
    expectWords(last)
  })
})

function createClaudeDriver(home: string, url: string, more: Drive['environment']) {
  writeFixture(join(home, '.claude.json'), '{"hasCompletedOnboarding":true}')
  return createDriver(home, {
    agent: 'claude',
    upstream: `anthropic=${url}`,
    environment: {
      ANTHROPIC_API_KEY: 'sk-ant-api03-x',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ...more,
    },
    words: ['--dangerously-skip-permissions', '-p'],
  })
}

/** For an agent that compacts on its own. */
async function untilCompacted(
  home: string,
  goOn: (words: string) => Promise<unknown>,
): Promise<void> {
  for (let round = 1; (await countAnswers(home)) < COMPACTIONS; round++) {
    expect(round).toBeLessThan(MOST_ROUNDS)
    await goOn(`Go on, ${round}.`)
  }
}

/**
 * Expects that no compaction reached the model. After the last compaction, the model got the user's
 * first words verbatim.
 */
async function expectAnswered(home: string, { listAsked }: ScriptedModel): Promise<void> {
  const asked = listAsked()
  expect(asked.filter(isCompaction).map(({ received }) => received.url)).toEqual([])
  expect(asked.at(-1)?.received.body.toString()).toContain('Never touch generated files.')
  expect(await countAnswers(home)).toBeGreaterThanOrEqual(COMPACTIONS)
  const { stdout } = await startPrecis(home, ['overview', '--json'])
  const { compactions } = asObject(JSON.parse(stdout)) ?? {}
  const writers = Array.isArray(compactions)
    ? compactions.map((compaction) => asObject(compaction)?.by)
    : []
  expect(writers.length).toBeGreaterThanOrEqual(COMPACTIONS)
  expect(new Set(writers)).toEqual(new Set(['precis']))
}
