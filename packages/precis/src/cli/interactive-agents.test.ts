/**
 * The real agents as people use them: on a terminal, with `precis wrap`. Covers calls of tools,
 * hooks of the user and of precis, reminders, and five manual compactions in a row. A script plays
 * the model (scripted-model.suite.ts).
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type PseudoTerminal, startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import { createHome, BIN as PRECIS, startPrecis, writeFixture } from './command.suite.ts'
import {
  AGENTS_BIN,
  installAgents,
  type ScriptedModel,
  startModel,
} from './scripted-model.suite.ts'

const COMPACTIONS = 5
const PATIENCE_MS = 120_000
const KEYSTROKE_MS = 600
const FIRST = 'Never touch LOCKED.txt.'
const LAST = 'And now the last one.'
const HOOK = 'The hook says hello.'
const OFFERS_TOOLS = /"tools":\s*\[\s*\{/

beforeAll(installAgents, 600_000)

interface Interactive {
  /** The name in precis, and the program. */
  readonly name: string
  readonly agent: string
  readonly upstream: (url: string) => string
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly prepare: (home: string, directory: string) => void
  /** Whether "precis install" adds a plugin that answers compactions before the gateway does. */
  readonly hasPlugin?: boolean
  /** Its question about new hooks, and the key that answers. */
  readonly review?: { readonly question: RegExp; readonly key: string }
  /** Text on its screen when it accepts a message. */
  readonly ready: RegExp
  readonly command: string
}

const json = (value: unknown) => JSON.stringify(value)
const KEY = 'sk-ant-api03-fake-key-of-a-test'

const claude: Interactive = {
  name: 'claude-code',
  agent: 'claude',
  upstream: (url) => `anthropic=${url}`,
  words: ['--allowedTools', 'Bash'],
  environment: {
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_AUTO_COMPACT: '1',
  },
  prepare(home, directory) {
    const projects = {
      [directory]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
    }
    const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] }
    const onboarded = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      bypassPermissionsModeAccepted: true,
    }
    writeFixture(
      join(home, '.claude.json'),
      json({ ...onboarded, customApiKeyResponses, projects }),
    )
    const hooks = {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: `echo "${HOOK}"` }] }],
    }
    writeFixture(join(home, '.claude/settings.json'), json({ hooks }))
  },
  ready: /❯/,
  command: '/compact',
}

const codex: Interactive = {
  name: 'codex',
  agent: 'codex',
  upstream: (url) => `openai=${url}/v1`,
  words: ['--dangerously-bypass-approvals-and-sandbox'],
  environment: { OPENAI_API_KEY: 'sk-x', CODEX_API_KEY: 'sk-x' },
  prepare(home, directory) {
    writeFixture(join(home, '.codex/auth.json'), json({ OPENAI_API_KEY: 'sk-x' }))
    const settings = `model = "gpt-5-codex"\n[analytics]\nenabled = false\n[projects."${directory}"]\ntrust_level = "trusted"\n`
    writeFixture(join(home, '.codex/config.toml'), settings)
    const hooks = {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: `echo "${HOOK}"` }] }],
    }
    writeFixture(join(home, '.codex/hooks.json'), json({ hooks }))
  },
  review: { question: /Hooks need review/, key: '2' },
  ready: /›/,
  command: '/compact',
}

const gemini: Interactive = {
  name: 'gemini-cli',
  agent: 'gemini',
  upstream: (url) => `google=${url}`,
  words: ['-m', 'gemini-2.5-pro', '--skip-trust', '--yolo'],
  environment: { GEMINI_API_KEY: 'x', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  prepare(home) {
    const security = { auth: { selectedType: 'gemini-api-key' } }
    const command = `node -e 'console.log(JSON.stringify({hookSpecificOutput:{additionalContext:"${HOOK}"}}))'`
    const hooks = { BeforeAgent: [{ hooks: [{ type: 'command', command }] }] }
    writeFixture(
      join(home, '.gemini/settings.json'),
      json({ security, privacy: { usageStatisticsEnabled: false }, hooks }),
    )
  },
  ready: /Type your message/,
  command: '/compress',
}

const opencode: Interactive = {
  name: 'opencode',
  agent: 'opencode',
  upstream: (url) => `anthropic=${url}`,
  words: ['-m', 'anthropic/claude-sonnet-4-5'],
  environment: {
    ANTHROPIC_API_KEY: KEY,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  },
  prepare(home) {
    writeFixture(
      join(home, '.config/opencode/opencode.json'),
      json({ autoupdate: false, share: 'disabled' }),
    )
    const plugin = `export const Hello = async () => ({
      'chat.message': async ({ sessionID }, { message, parts }) => {
        const id = 'prt_' + message.id.slice(4) + 'x'
        parts.push({ id, sessionID, messageID: message.id, type: 'text', text: ${json(HOOK)}, synthetic: true })
      },
    })`
    writeFixture(join(home, '.config/opencode/plugins/hello.js'), plugin)
  },
  hasPlugin: true,
  ready: /Ask anything/,
  command: '/compact',
}

describe('an interactive agent behind precis', { tags: 'agents' }, () => {
  test.each([
    ['Claude Code', claude],
    ['Codex', codex],
    ['Gemini CLI', gemini],
    ['OpenCode', opencode],
  ])(
    '%s has five compactions in a row answered, and every word of the user there, once',
    async (_, interactive) => {
      const model = await startModel({ reportedTokens: 20_000, lines: 5 })
      const home = createHome()
      const session = await start(home, interactive, model)
      const said = [`${FIRST} RUN(cat file0.txt)`]
      await session.say(said[0] ?? '')
      for (let round = 1; round <= COMPACTIONS; round++) {
        // One compaction right after a call of a tool, and one after more turns.
        const turns = [`Round ${round} goes on. RUN(cat file${round}.txt)`]
        if (round % 2 === 0) turns.unshift(`Round ${round} begins.`)
        for (const words of turns) await session.say(words)
        said.push(...turns)
        await session.compact()
      }
      await session.say(LAST)
      // In addition, Codex asks for a title of the latest words.
      const asked = model.listAsked().map(({ received }) => String(received.body))
      const bodies = asked.filter((body) => body.includes(LAST))
      const body = bodies.toSorted((left, right) => left.length - right.length).at(-1) ?? ''
      for (const words of [...said, LAST])
        expect([words, body.split(words).length - 1]).toEqual([words, 1])
      expect(body.split('<conversation-summary ').length - 1).toBe(1)
      expect(body).toMatch(/under reference [0-9a-f]+: .{1,100}, call \S*recall with /)
      expect(asked.some((body) => body.includes(HOOK))).toBe(true)
      session.end()
      // The hook, if there is one, kept each session, and the gateway each request.
      const { stdout } = await startPrecis(home, ['archive', '--json'])
      const each = interactive.hasPlugin ? 1 : 2
      expect(JSON.parse(stdout).entries).toHaveLength(each * COMPACTIONS)
    },
  )
})

async function start(home: string, interactive: Interactive, model: ScriptedModel) {
  const { name, agent, upstream, words, environment, hasPlugin, review, ready } = interactive
  const directory = join(home, 'project')
  mkdirSync(directory)
  for (let file = 0; file <= COMPACTIONS; file++) {
    const lines = Array.from(
      { length: 40 },
      (_, line) => `line ${line} of file ${file}: src/part${line}.ts`,
    )
    writeFixture(join(directory, `file${file}.txt`), `${lines.join('\n')}\n`)
  }
  interactive.prepare(home, directory)
  if (!hasPlugin) await startPrecis(home, ['install', name])
  const terminal = startOnTerminal(
    [PRECIS, 'wrap', agent, `--upstream-${upstream(model.url)}`, '--', ...words],
    {
      columns: 160,
      rows: 50,
      directory,
      environment: {
        HOME: home,
        PATH: `${AGENTS_BIN}:${process.env.PATH}`,
        IS_SANDBOX: '1',
        TERM: 'xterm-256color',
        ...environment,
      },
    },
  )
  onTestFinished(() => terminal.close())
  const until = createWaiting(terminal)
  const shows = (text: RegExp) => text.test(terminal.screen().join('\n'))
  if (review) {
    await until(() => shows(review.question), `question of ${agent}`)
    terminal.type(review.key)
    terminal.press('enter')
    await until(() => !shows(review.question), `answer to the question of ${agent}`)
  }
  await until(() => shows(ready), `a beginning of ${agent}`)
  const gateway = /page of this session: (http:\/\/[\w.:]+)\//.exec(
    terminal.everything().join('\n') + terminal.output(),
  )?.[1]
  const enter = async (text: string) => {
    terminal.type(text)
    await wait(KEYSTROKE_MS)
    terminal.press('enter')
    await wait(KEYSTROKE_MS)
  }
  return {
    /** Sends a message, and waits until the model has finished its last answer. */
    async say(text: string) {
      const before = model.listAsked().length
      const awaited = text.includes('RUN(') ? 2 : 1
      await enter(text)
      // A request for a title has no tools.
      const isAsked = () =>
        model
          .listAsked()
          .slice(before)
          .filter(
            ({ received: { body } }) => body.includes(text) && OFFERS_TOOLS.test(body.toString()),
          ).length >= awaited
      await until(isAsked, `requests with "${text}"`)
      await wait(4 * KEYSTROKE_MS)
    },
    async compact() {
      const before = await countAnswers(gateway)
      await enter(interactive.command)
      // In a list of commands, the first Enter may only select.
      terminal.press('enter')
      await until(async () => (await countAnswers(gateway)) > before, 'an answer to a compaction')
      await wait(4 * KEYSTROKE_MS)
    },
    end: () => terminal.close(),
  }
}

const createWaiting =
  (terminal: PseudoTerminal) => async (isThere: () => boolean | Promise<boolean>, what: string) => {
    const end = performance.now() + PATIENCE_MS
    while (!(await isThere())) {
      if (performance.now() > end)
        throw new Error(`There is no ${what}; the screen says:\n${terminal.screen().join('\n')}`)
      await wait(KEYSTROKE_MS)
    }
  }

/** What the gateway answered itself. */
async function countAnswers(gateway: string | undefined): Promise<number> {
  const text = await (await fetch(`${gateway}/metrics`)).text()
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith('precis_requests_total{') && line.includes('act="answer"'))
  return counts.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
