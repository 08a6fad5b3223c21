import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { agents as known } from '../agents/index.ts'
import { BIN, createHome, runJson, runPrecis, writeFixture } from './command.suite.ts'

const SETTINGS =
  '{\n  // mine\n  "theme": "dark",\n  "primaryKey": "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",\n}\n'

describe('precis install', () => {
  test('lists which agents are there and what is installed where', async () => {
    const home = createHome()
    writeFixture(join(home, '.gemini/settings.json'), SETTINGS)
    const program = writeFixture(join(home, 'bin/codex'), '#!/bin/sh\n')
    chmodSync(program, 0o755)
    const environment = { PATH: join(home, 'bin') }
    const { code, stdout } = await runPrecis(home, ['install'], { environment })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /Gemini CLI\n[\s\S]*MCP server "precis" +not installed +~\/\.gemini\/settings\.json[\s\S]*run:\n {4}precis install gemini-cli\n/,
    )
    // Its command is there, and it was never started.
    expect(stdout).toMatch(/Codex\n[\s\S]*MCP server "precis" +not installed/)
    expect(stdout).toContain('not found here: Claude Code, ')
    expect(stdout).not.toMatch(/not found here: .*Codex/)
    await runPrecis(home, ['install', 'gemini-cli'])
    const { stdout: json } = await runPrecis(home, ['install', '--json'])
    const { agents } = JSON.parse(json)
    expect(agents).toHaveLength(known.filter(({ installation }) => installation).length)
    expect(agents.find(({ agent }: { agent: string }) => agent === 'gemini-cli')).toMatchObject({
      found: true,
      entries: Array.from({ length: 4 }, () => ({ state: 'installed' })),
      bestWay: { commands: ['precis install gemini-cli'], answering: 'precis wrap gemini' },
    })
  })

  test('lists the others beside a file that cannot be read', async () => {
    const home = createHome()
    mkdirSync(join(home, '.codex/config.toml'), { recursive: true })
    const { code, stdout } = await runPrecis(home, ['install'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/MCP server "precis" +cannot be read +~\/\.codex\/config\.toml/)
  })

  test('names the two lines of the plugin where it is the better way, and only there', async () => {
    const home = createHome()
    const { stdout } = await runPrecis(home, ['install', 'claude-code'])
    const clone = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')
    expect(stdout).toContain(
      `\n  claude plugin marketplace add ${clone}\n  claude plugin install precis@precis\n`,
    )
    const { stdout: checked } = await runPrecis(home, ['doctor', 'claude-code'])
    expect(checked).toContain('the plugin is not installed, and it is the better way')
    expect((await runPrecis(home, ['install', 'gemini-cli'])).stdout).not.toContain('better way')
    writeFixture(join(home, '.claude/settings.json'), '{"enabledPlugins":{"precis@precis":true}}')
    const { stdout: later } = await runPrecis(home, ['install', 'claude-code'])
    expect(later).not.toContain('better way')
    expect((await runPrecis(home, ['doctor', 'claude-code'])).stdout).not.toContain('better way')
  })

  test('shows a dry run line by line, without keys that stand beside, and changes nothing', async () => {
    const home = createHome()
    const path = writeFixture(join(home, '.gemini/settings.json'), SETTINGS)
    const { code, stdout } = await runPrecis(home, ['install', 'gemini-cli', '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      '--- ~/.gemini/settings.json\n+++ ~/.gemini/settings.json\n@@ -2,4 +2,39 @@',
    )
    expect(stdout).toContain(`+        "${BIN}",\n+        "mcp"`)
    expect(stdout).not.toContain('sk-ant')
    expect(readFileSync(path, 'utf8')).toBe(SETTINGS)
    expect(statSync(join(home, '.local'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('writes a command that starts, and uninstall gives the file back byte for byte', async () => {
    const home = createHome()
    const path = writeFixture(join(home, '.claude.json'), '\u{feff}{\r\n\t"a": 1\r\n}')
    const { code } = await runPrecis(home, ['install', 'claude-code'])
    expect(code).toBe(0)
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8').slice(1))
    expect(mcpServers.precis).toEqual({
      type: 'stdio',
      command: process.execPath,
      args: [BIN, 'mcp'],
    })
    expect((await runPrecis(home, ['uninstall', 'claude-code'])).code).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe('\u{feff}{\r\n\t"a": 1\r\n}')
    expect(statSync(join(home, '.claude'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('uninstall without a name takes it out of every agent', async () => {
    const home = createHome()
    const [json, toml] = ['.claude.json', '.codex/config.toml'].map((name) =>
      writeFixture(join(home, name), ''),
    ) as [string, string]
    await runPrecis(home, ['install', 'claude-code', 'codex'])
    const dry = await runJson(home, ['uninstall', '--dry-run'])
    expect(dry.agents.map(({ agent }: { agent: string }) => agent)).toEqual([
      'claude-code',
      'codex',
    ])
    const { code, stdout } = await runPrecis(home, ['uninstall'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Claude Code\n[\s\S]*\nCodex\n/)])
    expect([json, toml].map((path) => readFileSync(path, 'utf8'))).toEqual(['', ''])
    const again = await runPrecis(home, ['uninstall'])
    expect([again.code, again.stderr]).toEqual([0, 'precis: no agent has entries of precis.\n'])
  })

  test('writes through a link and keeps it, and the mode of the file', async () => {
    const home = createHome()
    const target = writeFixture(join(home, 'dotfiles/codex.toml'), 'model = "x"\n')
    chmodSync(target, 0o640)
    mkdirSync(join(home, '.codex'))
    symlinkSync('../dotfiles/codex.toml', join(home, '.codex/config.toml'))
    await runPrecis(home, ['install', 'codex'])
    expect(lstatSync(join(home, '.codex/config.toml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toContain('[mcp_servers.precis]')
    expect(statSync(target).mode & 0o777).toBe(0o640)
    await runPrecis(home, ['uninstall', 'codex'])
    expect(readFileSync(target, 'utf8')).toBe('model = "x"\n')
    expect(lstatSync(join(home, '.codex/config.toml')).isSymbolicLink()).toBe(true)
  })

  test('leaves what another made under its name, does the rest and says so', async () => {
    const home = createHome()
    const foreign = '{"mcpServers":{"precis":{"command":"other"}}}'
    const path = writeFixture(join(home, '.claude.json'), foreign)
    const { code, stdout } = await runPrecis(home, ['install', 'claude-code'])
    expect(code).toBe(1)
    expect(stdout).toContain(
      '! MCP server "precis"  ~/.claude.json  (unchanged: precis did not make it)',
    )
    expect(stdout).toContain('+ hook that keeps the session')
    expect(readFileSync(path, 'utf8')).toBe(foreign)
    await runPrecis(home, ['uninstall', 'claude-code'])
    expect(readFileSync(path, 'utf8')).toBe(foreign)
  })

  test.each([
    ['.gemini/settings.json', 'gemini-cli', '{"a": ', 'line 1 is no JSON'],
    [
      '.gemini/settings.json',
      'gemini-cli',
      '{"mcpServers": []}',
      '"mcpServers" in it is no object',
    ],
    [
      '.codex/config.toml',
      'codex',
      'mcp_servers = {}',
      '"mcp_servers" in it is no table of its own',
    ],
    [
      '.codex/hooks.json',
      'codex',
      '{"hooks": {"PreCompact": {}}}',
      '"hooks.PreCompact" in it is no list',
    ],
  ])(
    'refuses %s of %s when it holds %s, and changes nothing at all',
    async (path, agent, text, problem) => {
      const home = createHome()
      writeFixture(join(home, path), text)
      const { code, stderr, stdout } = await runPrecis(home, ['install', agent, '--json'])
      expect(code).toBe(4)
      expect(stderr).toContain(problem)
      expect(JSON.parse(stdout).error.code).toBe('configuration-unreadable')
      expect(readFileSync(join(home, path), 'utf8')).toBe(text)
      expect(statSync(join(home, '.local'), { throwIfNoEntry: false })).toBeUndefined()
    },
  )

  test('knows agents by the names of their commands too', async () => {
    const home = createHome()
    expect((await runPrecis(home, ['install', 'claude', 'gemini'])).code).toBe(0)
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain('"precis"')
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toContain('"precis"')
    expect((await runPrecis(home, ['uninstall', 'claude', 'claude-code'])).code).toBe(0)
    expect(statSync(join(home, '.claude.json'), { throwIfNoEntry: false })).toBeUndefined()
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toContain('"precis"')
  })

  test('says for an agent it does not know which there are', async () => {
    const { code, stderr } = await runPrecis(createHome(), ['install', 'emacs'])
    expect(code).toBe(2)
    expect(stderr).toContain('claude-code, codex')
  })

  test('keeps an extension that somebody edited', async () => {
    const home = createHome()
    await runPrecis(home, ['install', 'pi'])
    const path = join(home, '.pi/agent/extensions/precis.ts')
    const edited = `${readFileSync(path, 'utf8')}// mine\n`
    writeFixture(path, edited)
    const { code, stdout } = await runPrecis(home, ['uninstall', 'pi'])
    expect(code).toBe(1)
    expect(stdout).toContain('it was edited')
    expect(readFileSync(path, 'utf8')).toBe(edited)
  })

  test('brings the command /precis with its own absolute path, in the files of each agent', async () => {
    const home = createHome()
    const files = [
      '.claude/skills/precis/SKILL.md',
      '.codex/skills/precis/SKILL.md',
      '.gemini/commands/precis.toml',
      '.config/opencode/commands/precis.md',
      '.pi/agent/prompts/precis.md',
    ]
    const agents = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'pi']
    const { stdout } = await runPrecis(home, ['install', ...agents])
    expect(stdout.match(/\+ command "\/precis"/g)).toHaveLength(files.length)
    for (const file of files)
      expect(readFileSync(join(home, file), 'utf8')).toContain(
        `\`${process.execPath} ${BIN} inspect <id>\``,
      )
    await runPrecis(home, ['uninstall', ...agents])
    for (const file of files)
      expect(statSync(join(home, file, '..'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test.each([
    [
      'claude-code',
      '.claude/skills/precis/SKILL.md',
      '.claude/settings.json',
      '{"enabledPlugins":{"precis@x":true}}',
    ],
    [
      'codex',
      '.codex/skills/precis/SKILL.md',
      '.codex/config.toml',
      '[plugins."precis@x"]\nenabled = true\n',
    ],
    [
      'gemini-cli',
      '.gemini/commands/precis.toml',
      '.gemini/extensions/precis/gemini-extension.json',
      '{}',
    ],
  ])(
    'leaves the command of %s to the plugin, where there is one',
    async (agent, file, path, text) => {
      const home = createHome()
      const isThere = () => statSync(join(home, file), { throwIfNoEntry: false }) !== undefined
      await runPrecis(home, ['install', agent])
      expect(isThere()).toBe(true)
      await runPrecis(home, ['uninstall', agent])
      writeFixture(join(home, path), text)
      const { code, stdout } = await runPrecis(home, ['install', agent])
      expect({ code, isThere: isThere() }).toEqual({ code: 0, isThere: false })
      expect(stdout).toContain('(the plugin of precis adds it)')
      await runPrecis(home, ['uninstall', agent])
      expect(readFileSync(join(home, path), 'utf8')).toBe(text)
    },
  )

  test('takes the command away again where the plugin came later, but not one that somebody edited', async () => {
    const home = createHome()
    const path = join(home, '.gemini/commands/precis.toml')
    await runPrecis(home, ['install', 'gemini-cli'])
    const written = readFileSync(path, 'utf8')
    writeFixture(join(home, '.gemini/extensions/precis/gemini-extension.json'), '{}')
    writeFixture(path, `${written}# mine\n`)
    const edited = await runPrecis(home, ['install', 'gemini-cli'])
    expect(edited.stdout).toContain('it was edited')
    expect(edited.code).toBe(1)
    writeFixture(path, written)
    expect((await runPrecis(home, ['install', 'gemini-cli'])).code).toBe(0)
    expect(statSync(join(home, '.gemini/commands'), { throwIfNoEntry: false })).toBeUndefined()
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toContain('"precis"')
  })
})
