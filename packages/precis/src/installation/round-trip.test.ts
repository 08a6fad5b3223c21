import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { applyEdits, modify, parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { agents } from '../agents/index.ts'
import {
  arbitraryFile,
  arbitraryJsonObject,
  arbitraryList,
  arbitraryMembers,
  COMMAND,
  useScratchHome,
} from '../agents/scratch-home.suite.ts'
import { applyPlan } from './apply-plan.ts'
import { findRecordsPath } from './installation-records.ts'
import { planInstallation, planRemoval } from './plan-change.ts'

const home = useScratchHome()
const RUNS = 150

type AgentName = 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'pi' | 'copilot'
const find = (name: AgentName) => agents.find((agent) => agent.name === name)!
const entriesOf = (name: AgentName) =>
  find(name).installation?.listEntries({ environment: process.env, command: COMMAND }) ?? []

async function install(name: AgentName) {
  const plan = planInstallation(find(name), entriesOf(name))
  await applyPlan(plan)
  return plan
}

async function uninstall(name: AgentName) {
  const plan = planRemoval(find(name), entriesOf(name))
  await applyPlan(plan)
  return plan
}

const server = fc.constantFrom(
  '{"command":"x"}',
  '{ "url": "http://localhost" }',
  '{\n "command": "precis-like",\n "args": ["mcp"] }',
)
const servers = arbitraryMembers(
  fc.dictionary(fc.constantFrom('one', 'two', 'precis'), server, { maxKeys: 3 }),
)
const group = fc.constantFrom(
  '{"hooks":[]}',
  '{ "matcher": "auto", "hooks": [{ "type": "command", "command": "date" }] }',
)
const hooks = arbitraryMembers(
  fc.record(
    {
      PreCompress: arbitraryList(group),
      PreCompact: arbitraryList(group),
      Stop: arbitraryList(group),
    },
    { requiredKeys: [] },
  ),
)
const settings = arbitraryFile(arbitraryJsonObject({ mcpServers: servers, hooks }))

describe('installing and uninstalling', () => {
  test('gives every settings file back byte for byte, and leaves no file and no folder', {
    tags: 'property',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(settings, async (text) => {
        home.reset()
        home.write('.gemini/settings.json', text)
        const before = home.list()
        const { changes } = await install('gemini-cli')
        expect(changes.map(({ path }) => basename(path))).toEqual(['settings.json', 'precis.toml'])
        expect((await install('gemini-cli')).changes).toEqual([])
        const installed = home.read('.gemini/settings.json')
        const value = parse(installed.replace('\u{feff}', ''), [], { allowTrailingComma: true })
        expect(value.hooks.PreCompress.at(-1).hooks[0].command).toContain(
          'precis.js hook gemini-cli',
        )
        await uninstall('gemini-cli')
        expect(home.list()).toEqual(before)
      }),
      { numRuns: runs(RUNS) },
    )
  })

  test('keeps what somebody changed meanwhile, and takes away what is ours', {
    tags: 'property',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.boolean(), async (text, isRewritten) => {
        home.reset()
        home.write('.gemini/settings.json', text)
        await install('gemini-cli')
        const change = (json: string) => {
          const plain = json.replace('\u{feff}', '')
          if (isRewritten)
            return JSON.stringify(
              { ...parse(plain, [], { allowTrailingComma: true }), changed: 1 },
              null,
              2,
            )
          return applyEdits(plain, modify(plain, ['changed'], 1, {}))
        }
        home.write('.gemini/settings.json', change(home.read('.gemini/settings.json')))
        await uninstall('gemini-cli')
        const after = home.read('.gemini/settings.json')
        const errors: never[] = []
        const value = parse(after, errors, { allowTrailingComma: true })
        expect(errors).toEqual([])
        expect(value).toEqual(parse(change(text), [], { allowTrailingComma: true }))
      }),
      { numRuns: runs(RUNS) },
    )
  })

  const key = fc.constantFrom('model', 'a.b', '"quoted key"', "'x'.y", 'mcp_servers.other.command')
  const scalarValue = fc.constantFrom(
    '"x"',
    "'[mcp_servers.precis]'",
    '1979-05-27 07:32:00Z',
    '[ "a", # c\n "b", ]',
    '{ a = "b", c = [1] }',
    '"""\n[mcp_servers.precis]\n"""',
    "'''a''''",
    'true',
    '-1_000.5',
  )
  const line = fc.oneof(
    fc
      .tuple(key, scalarValue, fc.constantFrom('', ' # why', '  '))
      .map(([name, value, end]) => `${name} = ${value}${end}`),
    fc.constantFrom(
      '',
      '# [mcp_servers.precis]',
      '[mcp_servers.other]',
      '[ "mcp_servers" . x ] # y',
      '[[list]]',
      '[projects."/a/b"]',
    ),
  )
  const toml = fc
    .tuple(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\n', '\n\n'),
      fc.constantFrom('', '\u{feff}'),
    )
    .map(
      ([lines, lineBreak, end, mark]) =>
        mark + (lines.join('\n') + end).replaceAll('\n', lineBreak),
    )

  test('gives every TOML file back byte for byte', { tags: 'property' }, async () => {
    await fc.assert(
      fc.asyncProperty(toml, async (text) => {
        home.reset()
        home.write('.codex/config.toml', text)
        const before = home.list()
        await install('codex')
        expect((await install('codex')).changes).toEqual([])
        const lines = home.read('.codex/config.toml').replace('\u{feff}', '').split(/\r?\n/)
        expect(lines.slice(-6)).toEqual([
          '# >>> precis >>>',
          '[mcp_servers.precis]',
          `command = ${JSON.stringify(COMMAND.program)}`,
          'args = ["/opt/precis/bin/precis.js", "mcp"]',
          '# <<< precis <<<',
          '',
        ])
        await uninstall('codex')
        expect(home.list()).toEqual(before)
      }),
      { numRuns: runs(RUNS) },
    )
  })

  test('keeps the lines that somebody added to a TOML file, and takes the tables of the server with it', {
    tags: 'property',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(toml, line, async (text, added) => {
        home.reset()
        home.write('.codex/config.toml', text)
        await install('codex')
        const more = `\n[mcp_servers.precis.tools.recall]\napproval_mode = "approve"\n\n[added]\n${added.startsWith('[') ? '' : added}\n`
        home.write('.codex/config.toml', home.read('.codex/config.toml') + more)
        await uninstall('codex')
        const rest = home.read('.codex/config.toml')
        expect(rest).not.toMatch(/precis (?:>>>|<<<)|approval_mode/)
        const wordsOf = (toml: string) => toml.replaceAll(/\s+/g, ' ').trim()
        expect(wordsOf(rest)).toBe(
          wordsOf(`${text}\n[added]\n${added.startsWith('[') ? '' : added}`),
        )
      }),
      { numRuns: runs(RUNS) },
    )
  })

  const installed = agents.filter(({ installation }) => installation)
  test.each(installed.map(({ name }) => name as AgentName))(
    'of %s leaves nothing in a home that was empty',
    async (agent) => {
      const { changes } = await install(agent)
      expect(changes.length).toBeGreaterThan(0)
      expect(Object.keys(home.list())).toContain(join('data', 'precis', 'installed.json'))
      await uninstall(agent)
      expect(home.list()).toEqual({})
    },
  )

  test.each([
    ['a file that was there is none of ours', { isCreated: true }],
    [
      'words are brought back that were never there',
      { undo: [[{ offset: 0, length: 1e9, text: '{"evil":1}' }]] },
    ],
    ['places are before the beginning', { undo: [[{ offset: -5, length: -1, text: 'evil' }]] }],
  ])(
    'takes no word of another away, and brings none, where it remembers that %s',
    async (_, change) => {
      home.reset()
      home.write('.gemini/settings.json', '{"keep": "me"}\n')
      await install('gemini-cli')
      const path = findRecordsPath()
      const records = JSON.parse(readFileSync(path, 'utf8'))
      for (const file of records.agents[0].files) Object.assign(file, change)
      writeFileSync(path, JSON.stringify(records))
      await uninstall('gemini-cli')
      expect(JSON.parse(home.read('.gemini/settings.json'))).toEqual({ keep: 'me' })
    },
  )

  test('changes nothing where a name is there twice, once ours and once not', async () => {
    const text =
      '{"mcpServers":{"precis":{"command":"x"},"precis":{"command":"node","args":["/x/precis.js","mcp"]}}}'
    home.reset()
    home.write('.gemini/settings.json', text)
    await expect(install('gemini-cli')).rejects.toThrow('in it twice')
    expect(home.read('.gemini/settings.json')).toBe(text)
  })

  test('changes nothing where the agent would not find what is inserted', async () => {
    for (const text of ["a = '''\n", '# fine\na = """\n']) {
      home.reset()
      home.write('.codex/config.toml', text)
      await expect(install('codex')).rejects.toThrow('would not be found in it')
      expect(home.read('.codex/config.toml')).toBe(text)
    }
  })

  test('of several agents leaves nothing, in whatever order they go', async () => {
    const agents = ['pi', 'claude-code', 'codex', 'opencode', 'gemini-cli', 'copilot'] as const
    for (const agent of agents) await install(agent)
    await uninstall('claude-code')
    expect(Object.keys(home.list()).filter((path) => path.startsWith('.claude'))).toEqual([])
    for (const agent of agents) await uninstall(agent)
    expect(home.list()).toEqual({})
  })
})
