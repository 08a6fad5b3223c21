import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHome, runPrecis, writeFixture } from './command.suite.ts'

const URL = 'http://127.0.0.1:4141'
const read = (home: string, path: string) => readFileSync(join(home, path), 'utf8')

const files: readonly (readonly [string, string, string | undefined, string])[] = [
  [
    'claude',
    '.claude/settings.json',
    '{\n  // mine\n  "env": {"A": "b"},\n}\n',
    `"ANTHROPIC_BASE_URL": "${URL}"`,
  ],
  ['claude-code', '.claude/settings.json', undefined, '"ENABLE_TOOL_SEARCH": "true"'],
  [
    'codex',
    '.codex/config.toml',
    '\u{feff}# mine\r\n[a]\r\nopenai_base_url = "x"',
    `\u{feff}# >>> precis >>>\r\nopenai_base_url = "${URL}/v1"\r\n# <<< precis <<<\r\n`,
  ],
  ['codex', '.codex/config.toml', undefined, `openai_base_url = "${URL}/v1"`],
  [
    'opencode',
    '.config/opencode/opencode.json',
    '{"provider":{"openai":{"options":{}}}}',
    `"baseURL":"${URL}/v1"`,
  ],
  ['opencode', '.config/opencode/opencode.json', undefined, `"baseURL": "${URL}/v1beta"`],
]

describe('precis install --gateway', () => {
  test.each(files)(
    'points %s at it in %s, and uninstall gives %j back byte for byte',
    async (agent, path, before, expected) => {
      const home = createHome()
      if (before !== undefined) writeFixture(join(home, path), before)
      const { code, stdout } = await runPrecis(home, ['install', '--gateway', agent, '--json'])
      expect(code).toBe(0)
      expect(stdout).toContain('"outcome": "added"')
      const written = read(home, path)
      expect(written).toContain(expected)
      expect(written).toContain('precis')
      // A repeated run changes nothing, even if the option is missing.
      await runPrecis(home, ['install', '--gateway', agent])
      await runPrecis(home, ['install', agent])
      expect(read(home, path)).toBe(written)
      expect((await runPrecis(home, ['install'])).stdout).toMatch(
        /(?:variable|address of) .*installed/,
      )
      expect((await runPrecis(home, ['uninstall', agent])).code).toBe(0)
      if (before === undefined)
        expect(statSync(join(home, path), { throwIfNoEntry: false })).toBeUndefined()
      else expect(read(home, path)).toBe(before)
    },
  )

  test('shows no token of the gateway and no key of the user, wherever they are', async () => {
    const home = createHome()
    const key = `sk-ant-api03-${'Ab1'.repeat(20)}`
    const token = 'secret-word-of-mine'
    writeFixture(join(home, '.claude/settings.json'), `{"env":{"ANTHROPIC_API_KEY":"${key}"}}`)
    const url = ['--gateway', '--url', `http://127.0.0.1:4141/t/${token}`]
    for (const words of [
      [...url, '--dry-run'],
      [...url, '--dry-run', '--json'],
      [...url, '--json'],
    ]) {
      const { stdout, stderr } = await runPrecis(home, ['install', 'claude', ...words])
      expect(stdout).toContain('http://127.0.0.1:4141/t/…')
      expect(stdout + stderr).not.toContain(token)
      expect(stdout + stderr).not.toContain(key)
    }
    const { stdout } = await runPrecis(home, ['uninstall', 'claude', '--dry-run'])
    expect(stdout).toContain('/t/…')
    expect(stdout).not.toContain(token)
  })

  test('keeps what is the user’s: another address, and the same one', async () => {
    const home = createHome()
    const own = '{"env":{"ANTHROPIC_BASE_URL":"http://mine","ENABLE_TOOL_SEARCH":"true"}}'
    const path = '.claude/settings.json'
    writeFixture(join(home, path), own)
    const { code, stdout } = await runPrecis(home, ['install', '--gateway', 'claude'])
    expect(code).toBe(1)
    expect(stdout).toContain('! variable ANTHROPIC_BASE_URL')
    expect(JSON.parse(read(home, path)).env).toMatchObject(JSON.parse(own).env)
    expect((await runPrecis(home, ['uninstall', 'claude'])).code).toBe(0)
    expect(read(home, path)).toBe(own)
  })

  test('names the gateway that the configuration, an option or a token says', async () => {
    const home = createHome()
    const upstreams = { anthropic: 'http://proxy' }
    writeFixture(
      join(home, '.config/precis/config.json'),
      JSON.stringify({ gateway: { port: 5000, upstreams } }),
    )
    const token = '0123456789abcdef'
    await runPrecis(home, ['install', '--gateway', 'claude'], {
      environment: { PRECIS_TOKEN: token },
    })
    const { env } = JSON.parse(read(home, '.claude/settings.json'))
    expect(env).toEqual({ ANTHROPIC_BASE_URL: `http://127.0.0.1:5000/t/${token}` })
    const other = await runPrecis(home, [
      'install',
      '--gateway',
      'claude',
      '--url',
      'https://gateway.example/',
    ])
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('Run "precis uninstall claude-code" first')
    expect(other.stderr).not.toContain(token)
    await runPrecis(home, ['install', '--gateway', 'codex', '--url', 'https://gateway.example/'])
    expect(read(home, '.codex/config.toml')).toContain(
      'openai_base_url = "https://gateway.example/v1"',
    )
  })

  test.each([
    [['gemini'], 'Start it with "precis wrap gemini-cli"'],
    [['pi'], 'not supported. "precis serve" works for any client'],
    [['claude', '--url', 'mine'], 'Give an address'],
    [['claude', '--url', 'http://a/?b'], 'Give an address'],
  ])('refuses %j and changes nothing', async (words, problem) => {
    const home = createHome()
    const { code, stderr } = await runPrecis(home, ['install', '--gateway', ...words])
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
    expect(statSync(join(home, '.local'), { throwIfNoEntry: false })).toBeUndefined()
  })
})
