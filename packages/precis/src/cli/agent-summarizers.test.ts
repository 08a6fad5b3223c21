/** The real agents as summarizers, asked by their own commands, before a model that is a script. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { asObject } from '../files/lines.ts'
import {
  createClaudeSession,
  createHome,
  createUuid,
  startPrecis,
  writeFixture,
} from './command.suite.ts'
import { AGENTS_BIN, installAgents, startModel } from './scripted-model.suite.ts'

beforeAll(installAgents, 600_000)

const SESSION_ID = createUuid(7)
const SAID = 'The person compared prices, and the shipping was added in every round.'
const ANSWER = `<summary>\n## Where things stand\n${SAID}\n</summary>`
// Each would be started, or asked, by the agent of the user.
const HOOK = { hooks: [{ type: 'command', command: 'touch "$HOME/hooked"' }] }
const SERVER = { command: 'touch', args: ['hooked'] }

interface Case {
  readonly program: string
  prepare(home: string, url: string): Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  {
    program: 'claude',
    prepare(home, url) {
      const hooks = { SessionStart: [HOOK], UserPromptSubmit: [HOOK], Stop: [HOOK] }
      writeFixture(join(home, '.claude/settings.json'), JSON.stringify({ hooks }))
      const settings = { hasCompletedOnboarding: true, mcpServers: { x: SERVER } }
      writeFixture(join(home, '.claude.json'), JSON.stringify(settings))
      return {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'sk-ant-api03-x',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      }
    },
  },
  {
    program: 'codex',
    prepare(home, url) {
      const lines = [
        'model_provider = "fake"',
        'notify = ["touch", "hooked"]',
        '[model_providers.fake]',
        'name = "fake"',
        `base_url = "${url}/v1"`,
        'env_key = "FAKE_KEY"',
        'wire_api = "responses"',
        '[mcp_servers.x]',
        'command = "touch"',
        `args = ["${join(home, 'hooked')}"]`,
      ]
      writeFixture(join(home, '.codex/config.toml'), lines.join('\n'))
      return { FAKE_KEY: 'x' }
    },
  },
  {
    program: 'gemini',
    prepare(home, url) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        hooks: { SessionStart: [HOOK], BeforeAgent: [HOOK] },
        mcpServers: { x: SERVER },
      }
      writeFixture(join(home, '.gemini/settings.json'), JSON.stringify(settings))
      return { GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url }
    },
  },
  {
    program: 'opencode',
    prepare(home, url) {
      const options = { baseURL: `${url}/v1`, apiKey: 'x' }
      const provider = { anthropic: { options } }
      const settings = { model: 'anthropic/claude-sonnet-4-5', provider, autoupdate: false }
      writeFixture(join(home, '.config/opencode/opencode.json'), JSON.stringify(settings))
      return { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }
    },
  },
]

describe('the agent of the user', { tags: 'agents' }, () => {
  test.each(cases)('$program writes the summary, without its hooks and servers', async (each) => {
    const home = createHome()
    const model = await startModel({ text: ANSWER })
    const environment = each.prepare(home, model.url)
    const session = createSession(home)
    const result = await startPrecis(
      home,
      [
        'compress',
        session,
        '--budget',
        '30%',
        '--summarizer',
        `agent/${each.program}`,
        '-o',
        'out.jsonl',
        '--json',
      ],
      {
        directory: home,
        environment: { PATH: `${AGENTS_BIN}:${process.env.PATH}`, TERM: 'dumb', ...environment },
      },
    )
    expect(result, result.stderr.slice(-2000)).toMatchObject({ code: 0 })
    const { summarizer, usage } = asObject(JSON.parse(result.stdout)) ?? {}
    expect(summarizer).toBe(`agent/${each.program}`)
    expect(usage).toMatchObject({ calls: 1 })
    expect(readFileSync(join(home, 'out.jsonl'), 'utf8')).toContain(SAID)
    expect(() => readFileSync(join(home, 'hooked'))).toThrow('ENOENT')
    const listed = await startPrecis(home, ['sessions', '--json'])
    expect(listed.stdout).not.toContain('running')
  })
})

function createSession(home: string): string {
  return writeFixture(
    join(home, 'work/session.jsonl'),
    createClaudeSession({ sessionId: SESSION_ID }),
  )
}
