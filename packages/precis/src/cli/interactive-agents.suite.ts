/** The real agents as people use them: on a terminal, with `precis wrap`, and hooks of the user. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Pace, startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import { BIN as PRECIS, startPrecis, writeFixture } from './command.suite.ts'
import { AGENTS_BIN, type ScriptedModel } from './scripted-model.suite.ts'

const KEYSTROKE_MS = 600
const PACE: Pace = { patienceMs: 240_000, lookMs: KEYSTROKE_MS }
const ENTER_AGAIN_MS = 15_000
/** What the hook of the user adds to each message. */
export const HOOK = 'The hook says hello.'
const OFFERS_TOOLS = /"tools":\s*\[\s*\{/
/** `file0.txt`, `file1.txt` … in the folder of the project. */
const FILES = 6

export interface Interactive {
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
  ready: /Ask anything|ctrl\+p commands/,
  command: '/compact',
}

/** All that `precis wrap` knows. */
export const interactiveAgents: readonly (readonly [string, Interactive])[] = [
  ['Claude Code', claude],
  ['Codex', codex],
  ['Gemini CLI', gemini],
  ['OpenCode', opencode],
]

export type InteractiveSession = Awaited<ReturnType<typeof startInteractive>>

/** Prepares the home and the folder of the project, and adds what precis adds to the agent. */
export async function prepareHome(home: string, interactive: Interactive): Promise<void> {
  const directory = join(home, 'project')
  mkdirSync(directory)
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from(
      { length: 40 },
      (_, line) => `line ${line} of file ${file}: src/part${line}.ts`,
    )
    writeFixture(join(directory, `file${file}.txt`), `${lines.join('\n')}\n`)
  }
  interactive.prepare(home, directory)
  if (!interactive.hasPlugin) await startPrecis(home, ['install', interactive.name])
}

/** Starts the agent in a prepared home. `more` are words for its command line. */
export async function startInteractive(
  home: string,
  interactive: Interactive,
  model: ScriptedModel,
  more: readonly string[] = [],
) {
  const { agent, upstream, words, environment, review, ready } = interactive
  const directory = join(home, 'project')
  const terminal = startOnTerminal(
    [PRECIS, 'wrap', agent, `--upstream-${upstream(model.url)}`, '--', ...words, ...more],
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
  const shows = (text: RegExp) => terminal.shows(text)
  const until: typeof terminal.until = (isSo, what) => terminal.until(isSo, what, PACE)
  // It asks once in a home.
  if (review && more.length === 0) {
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
      const countAsked = () =>
        model
          .listAsked()
          .slice(before)
          .filter(
            ({ received: { body } }) => body.includes(text) && OFFERS_TOOLS.test(body.toString()),
          ).length
      // An agent that is still busy with its start ignores the first Enter.
      let enters = 1
      const isAsked = (waitedMs: number) => {
        if (countAsked() === 0 && waitedMs > enters * ENTER_AGAIN_MS) {
          enters++
          terminal.press('enter')
        }
        return countAsked() >= awaited
      }
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
    async end() {
      terminal.close()
      await terminal.exit
    },
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
