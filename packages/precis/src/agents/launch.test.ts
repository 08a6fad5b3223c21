import { chmodSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agents } from './index.ts'
import { COMMAND, useScratchHome } from './scratch-home.suite.ts'

const home = useScratchHome()
const GATEWAY = { url: 'http://127.0.0.1:4141', isVendor: false }
const SERVER = { program: COMMAND.program, words: [...COMMAND.words, 'mcp'] }
const FOLDER = '/folder/of/its/own'

/** Uses the scratch home as home and as folder of the project. Asserts that nothing was written. */
function plan(
  name: string,
  environment: NodeJS.ProcessEnv = {},
  { gateway = GATEWAY, folder = FOLDER, directory = home.path } = {},
) {
  const launch = agents.find((agent) => agent.name === name)?.wire?.launch
  if (!launch) throw new Error(`${name} is not started`)
  const before = home.list()
  const whole = { HOME: home.path, ...environment }
  const planned = launch.plan({
    gateway,
    environment: whole,
    server: SERVER,
    directory,
    folder,
  })
  expect(home.list()).toEqual(before)
  for (const { path } of planned.files) expect(path.startsWith(`${folder}/`)).toBe(true)
  return { ...planned, upstreams: launch.findUpstreams(whole, directory) }
}

const readFile = (planned: ReturnType<typeof plan>, name: string): unknown =>
  JSON.parse(planned.files.find(({ path }) => basename(path) === name)?.text ?? 'null')

describe('Claude Code', () => {
  test('gets the address and the tool, and no more where others are behind the gateway', () => {
    const planned = plan('claude-code')
    expect(planned.environment).toEqual({ ANTHROPIC_BASE_URL: GATEWAY.url })
    expect(planned.arguments).toEqual([`--mcp-config=${FOLDER}/mcp.json`])
    const server = { type: 'stdio', command: SERVER.program, args: SERVER.words }
    expect(readFile(planned, 'mcp.json')).toEqual({ mcpServers: { precis: server } })
    expect(planned.upstreams.anthropic).toBeUndefined()
  })

  test('is told that Anthropic itself is behind it', () => {
    const vendor = { gateway: { ...GATEWAY, isVendor: true } }
    expect(plan('claude-code', {}, vendor).environment).toMatchObject({
      _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1',
      ENABLE_TOOL_SEARCH: 'true',
    })
    const own = plan('claude-code', { ENABLE_TOOL_SEARCH: 'auto:5' }, vendor)
    expect(own.environment.ENABLE_TOOL_SEARCH).toBe('auto:5')
  })

  test('has settings above its own where those say another address, which requests go on to', () => {
    home.write(
      '.claude/settings.json',
      '{ "env": { "ANTHROPIC_BASE_URL": "http://proxy:8080" } } // mine',
    )
    const planned = plan('claude-code', { ANTHROPIC_BASE_URL: 'http://other' })
    expect(planned.arguments).toContain(`--settings=${FOLDER}/settings.json`)
    expect(readFile(planned, 'settings.json')).toEqual({ env: { ANTHROPIC_BASE_URL: GATEWAY.url } })
    expect(planned.upstreams).toEqual({ anthropic: 'http://proxy:8080' })
  })

  test('is told of an address in the settings of the project, where its requests go instead', () => {
    home.write('work/.claude/settings.local.json', '{"env":{"ANTHROPIC_BASE_URL":"http://proxy"}}')
    const planned = plan('claude-code', {}, { directory: join(home.path, 'work') })
    expect(planned.note).toContain('work/.claude/settings.local.json')
    expect(planned.upstreams.anthropic).toBeUndefined()
  })

  test('is said to go by where it uses a cloud', () => {
    expect(plan('claude-code', { CLAUDE_CODE_USE_BEDROCK: '1' }).note).toContain('Amazon Bedrock')
  })
})

describe('Codex', () => {
  test('gets settings that are TOML', () => {
    const { arguments: words, note, upstreams } = plan('codex')
    expect(words.filter((_, index) => index % 2 === 1)).toEqual([
      'openai_base_url="http://127.0.0.1:4141/v1"',
      'mcp_servers.precis.command="/opt/node/bin/node"',
      'mcp_servers.precis.args=["/opt/precis/bin/precis.js","mcp"]',
    ])
    expect(note).toBeUndefined()
    expect(upstreams.openai).toBeUndefined()
  })

  test('keeps the address that it was told', () => {
    home.write(
      '.codex/config.toml',
      `# mine\n openai_base_url='http://proxy/v1'\n[profiles.a]\nmodel_provider = "b"\n`,
    )
    const { note, upstreams } = plan('codex')
    expect(note).toBeUndefined()
    expect(upstreams.openai).toBe('http://proxy/v1')
  })

  test.each([
    ['work', '[model_providers.work]', 'http://proxy/openai', GATEWAY.url],
    ['at-home', '[model_providers."at-home"] # mine', 'http://proxy/v1', `${GATEWAY.url}/v1`],
  ])('reaches the provider that its user set up: %s', (name, table, base, address) => {
    home.write(
      '.codex/config.toml',
      `model_provider = "${name}"\n[other]\nbase_url = "a"\n${table}\nname = "OpenAI"\nbase_url = "${base}" # there\n[b]\n`,
    )
    const { arguments: words, note, upstreams } = plan('codex')
    expect(words).toContain(`model_providers.${name}.base_url="${address}"`)
    expect(upstreams.openai).toBe(base)
    expect(note).toBeUndefined()
  })

  test('says so of a provider without an address', () => {
    home.write(
      '.codex/config.toml',
      'model_provider = "azure" # at work\n[model_providers.azure]\nname = "a"\n',
    )
    expect(plan('codex').note).toContain('"azure"')
  })

  test('reads no setting out of a table', () => {
    home.write('.codex/config.toml', '[a]\nmodel_provider = "azure"\n')
    expect(plan('codex').note).toBeUndefined()
  })
})

describe('Gemini CLI', () => {
  // It uses settings of a system only if root alone can write them. This test writes nothing.
  const ofRoot = { folder: '/etc' }

  test('gets an address for each login, and the tool beside the settings that were there', () => {
    const path = home.write(
      'defaults.json',
      '{ "ui": { "theme": "x" }, "mcpServers": { "a": { "command": "a" } } } // mine',
    )
    const given = {
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: path,
      GOOGLE_GEMINI_BASE_URL: 'http://proxy',
    }
    const planned = plan('gemini-cli', given, ofRoot)
    expect(planned.environment).toEqual({
      GOOGLE_GEMINI_BASE_URL: GATEWAY.url,
      GOOGLE_VERTEX_BASE_URL: GATEWAY.url,
      CODE_ASSIST_ENDPOINT: GATEWAY.url,
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/etc/system-defaults.json',
    })
    expect(readFile(planned, 'system-defaults.json')).toEqual({
      ui: { theme: 'x' },
      mcpServers: { a: { command: 'a' }, precis: { command: SERVER.program, args: SERVER.words } },
    })
    expect(planned.upstreams.google).toBe('http://proxy')
  })

  test('goes on to the address in the file of variables of its user, and never to one of a project', () => {
    home.write('.gemini/.env', 'export GOOGLE_GEMINI_BASE_URL="http://proxy" # mine\n')
    const directory = join(home.path, 'work')
    const { upstreams } = plan('gemini-cli', {}, { directory })
    expect(upstreams).toEqual({ google: 'http://proxy' })
    home.write('work/.env', 'GOOGLE_GEMINI_BASE_URL=http://evil')
    expect(plan('gemini-cli', {}, { directory }).upstreams).toEqual({})
  })

  test('keeps settings that cannot be read, and has no tool then', () => {
    const path = home.write('defaults.json', '{ "ui": ')
    const planned = plan('gemini-cli', { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: path }, ofRoot)
    expect(planned.environment).not.toHaveProperty('GEMINI_CLI_SYSTEM_DEFAULTS_PATH')
    expect(planned.recallTool).toBeUndefined()
  })

  test('keeps its defaults where others than root could write new ones, and is told where the tool comes from', () => {
    const own = { folder: home.path }
    chmodSync(home.path, 0o777)
    const planned = plan('gemini-cli', {}, own)
    expect(planned).toMatchObject({ files: [], recallTool: undefined })
    expect(planned.environment).not.toHaveProperty('GEMINI_CLI_SYSTEM_DEFAULTS_PATH')
    expect(planned.note).toContain('precis install gemini-cli')
    home.write('.gemini/settings.json', '{ "mcpServers": { "precis": { "command": "precis" } } }')
    const installed = plan('gemini-cli', {}, own)
    expect(installed).toMatchObject({ files: [], recallTool: 'mcp_precis_recall' })
    expect(installed.note).toBeUndefined()
  })
})

describe('OpenCode', () => {
  const content = (planned: ReturnType<typeof plan>): unknown =>
    JSON.parse(planned.environment.OPENCODE_CONFIG_CONTENT ?? '')

  test('gets addresses and the tool above what the variable held', () => {
    const before =
      '{ "theme": "x", "provider": { "openai": { "options": { "timeout": 1 } } }, "mcp": { "a": { "enabled": false } } }'
    expect(content(plan('opencode', { OPENCODE_CONFIG_CONTENT: before }))).toEqual({
      theme: 'x',
      provider: {
        anthropic: { options: { baseURL: `${GATEWAY.url}/v1` } },
        openai: { options: { timeout: 1, baseURL: `${GATEWAY.url}/v1` } },
        google: { options: { baseURL: `${GATEWAY.url}/v1beta` } },
      },
      mcp: {
        a: { enabled: false },
        precis: { type: 'local', command: [SERVER.program, ...SERVER.words], enabled: true },
      },
    })
  })

  test('keeps a provider at the address that its settings give, and says so', () => {
    home.write(
      'opencode.json',
      '{ "provider": { "anthropic": { "options": { "baseURL": "http://proxy" } } } }',
    )
    const planned = plan('opencode')
    expect(content(planned)).not.toHaveProperty('provider.anthropic')
    expect(planned.note).toContain('an address to anthropic')
  })

  test.each([
    ['@ai-sdk/openai-compatible', 'openai', 'http://proxy/v1', `${GATEWAY.url}/v1`],
    ['@ai-sdk/anthropic', 'anthropic', 'http://proxy/claude', GATEWAY.url],
  ])('reaches the provider of its model, of the kind %s', (npm, upstream, baseURL, address) => {
    const provider = { mine: { npm, options: { apiKey: 'k', baseURL } } }
    home.write('opencode.json', JSON.stringify({ model: 'mine/m1', provider }))
    const planned = plan('opencode')
    expect(content(planned)).toHaveProperty('provider.mine.options.baseURL', address)
    expect(content(planned)).not.toHaveProperty(`provider.${upstream}`)
    expect(planned.upstreams).toEqual({ [upstream]: baseURL })
    expect(planned.note).toBeUndefined()
  })
})
