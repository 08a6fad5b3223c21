import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { codex } from '../agents/codex/codex.ts'
import { COMMAND, useScratchHome } from '../agents/scratch-home.suite.ts'
import type { TomlEntry } from '../agents/shared/agent.ts'
import { applyPlan } from './apply-plan.ts'
import { findSettingsEntry } from './find-entry.ts'
import { findRecordsPath } from './installation-records.ts'
import { planInstallation, planRemoval } from './plan-change.ts'
import { findTomlTable, removeTomlEntry } from './toml-entry.ts'

const listEntries = () =>
  codex.installation?.listEntries({ environment: process.env, command: COMMAND }) ?? []
const server = listEntries()[0] as TomlEntry

describe('a server is found in any spelling of its header', () => {
  const own = 'command = "/usr/bin/node"\nargs = ["/x/bin/precis.js", "mcp"]'
  test.each([
    [`[mcp_servers.precis]\n${own}`],
    [`[ "mcp_servers" . 'precis' ] # mine\n${own}`],
    [`[mcp_servers.precis]\n${own}\nenabled = true\n[mcp_servers.precis.env]\nA = "b"`],
    ['[mcp_servers."p\\u0072ecis"]\ncommand = "precis"\nargs = [\n  "mcp", # why\n]'],
    ["[mcp_servers.precis]\ncommand = 'C:\\x\\precis.cmd'\nargs = ['mcp']"],
  ])('%#', (text) => {
    expect(findSettingsEntry(text, server)).toEqual({ type: 'own' })
  })

  test('as installed only where it starts the very same', () => {
    const text =
      '[mcp_servers.precis]\nargs = ["/opt/precis/bin/precis.js", "mcp"]\ncommand = "/opt/node/bin/node"\n'
    expect(findSettingsEntry(text, server)).toEqual({ type: 'installed' })
    expect(findSettingsEntry(`${text}enabled = false`, server)).toEqual({ type: 'installed' })
    expect(findSettingsEntry(text.replace('/opt/node', '/usr'), server)).toEqual({ type: 'own' })
  })

  test.each([
    ['[mcp_servers.precis]\ncommand = "mine"', { type: 'foreign' }],
    ['[mcp_servers]\nprecis = { command = "precis", args = ["mcp"] }', { type: 'foreign' }],
    ['mcp_servers.precis.args = ["precis", "mcp"]', { type: 'foreign' }],
    ['# [mcp_servers.precis]\na = "[mcp_servers.precis]"', { type: 'absent' }],
    ['a = """\n[mcp_servers.precis]\n"""', { type: 'absent' }],
    ['a = [\n  ["mcp_servers", "precis"],\n]', { type: 'absent' }],
    [
      'mcp_servers = { a = { command = "x" } }',
      { type: 'unfit', problem: '"mcp_servers" in it is no table of its own' },
    ],
  ])('%j is not ours', (text, found) => {
    expect(findSettingsEntry(text, server)).toEqual(found)
  })
})

describe('quotes', () => {
  const installed =
    '[mcp_servers.precis]\ncommand = "/opt/node/bin/node"\nargs = ["/opt/precis/bin/precis.js", "mcp"]\n'

  test.each([
    ["# docstrings have ''' here\n"],
    ['a = 1 # and """\n'],
    [`a = "'''"\n`],
    [`a = '"""'\n`],
    [`a = "\\"'''"\n`],
    ['a = "" # """\n'],
    [`a = '''one line with """'''\n`],
    [`a = """one with ''' and \\""" in it"""\n`],
    [`a = """\n'''\n# \\"""\n"""\n`],
    [`a = '''\n"""\n\\'''\n`],
    ['a = """two at the end"""""\n'],
    ['a = """"""\n'],
  ])('that leave no string open hide no table: %j', (text) => {
    expect(findSettingsEntry(text + installed, server)).toEqual({ type: 'installed' })
    expect(removeTomlEntry(text + installed, server)).toBe(text)
  })

  test.each([["a = '''\n"], [`a = """\n'''\n`], ['a = """\n\\"""\n']])(
    'that leave one open hide it: %j',
    (text) => {
      expect(findSettingsEntry(text + installed, server)).toEqual({ type: 'absent' })
    },
  )
})

describe('taking a table out', () => {
  const table =
    '[mcp_servers.precis]\ncommand = "/opt/node/bin/node"\nargs = ["/opt/precis/bin/precis.js", "mcp"]\n'
  const marked = `# >>> precis >>>\n${table}# <<< precis <<<\n`

  // Agents write at the end of the file, which is before its last comment.
  test('leaves what an agent wrote between the marks', () => {
    const projects = '\n[projects."/a]b"]\ntrust_level = "trusted"\n'
    const tools = '\n[mcp_servers.precis.tools.recall]\napproval_mode = "approve"\n'
    const text = `model = "x"\n\n# >>> precis >>>\n${table}${tools}${projects}# <<< precis <<<\n`
    expect(removeTomlEntry(text, server)).toBe(
      'model = "x"\n[projects."/a]b"]\ntrust_level = "trusted"\n',
    )
  })

  // codex 0.169 rewrites the servers, and keeps only the last comment around them.
  test('takes a mark that lost its other one', () => {
    const other = '\n[mcp_servers.other]\ncommand = "echo"\n'
    expect(removeTomlEntry(`model = "x"\n\n${table}${other}# <<< precis <<<\n`, server)).toBe(
      `model = "x"\n${other}`,
    )
    expect(removeTomlEntry(`# >>> precis >>>\n${table}${other}`, server)).toBe(other)
  })

  test.each([
    [table, ''],
    [marked, ''],
    [`a = 1\n\n${table}`, 'a = 1\n'],
    [`a = 1\n\n${marked}`, 'a = 1\n'],
    [`a = 1\n\n${table}\n# of the next one\n[b]\n`, 'a = 1\n\n# of the next one\n[b]\n'],
    [`a = 1\n\n${marked}\n[b]\nc = "d"\n`, 'a = 1\n\n[b]\nc = "d"\n'],
  ])('%#', (text, rest) => {
    expect(removeTomlEntry(text, server)).toBe(rest)
  })

  test('takes time in line with the size', { tags: 'slow' }, async () => {
    const write = (count: number) =>
      `${'a = "\\"\\""  # x\n'.repeat(count)}${marked}${'[b."c"]\n'.repeat(count)}`
    await expectLinearGrowth(
      write,
      (text) => [findTomlTable(text, server), removeTomlEntry(text, server)],
      2000,
    )
  })
})

describe('installing again', () => {
  const home = useScratchHome()
  const pairs = 'command = "/old/node"\nargs = ["/old/precis.js", "mcp"]\n'

  test.each([
    [
      'between the marks',
      `# >>> precis >>>\n# of the team\n[mcp_servers.precis]\n# slow disks\n${pairs}tool_timeout_sec = 90 # s\n# until May\n# <<< precis <<<\n`,
      ['# of the team', '# slow disks', 'tool_timeout_sec = 90 # s', '# until May'],
    ],
    [
      'in a table without marks',
      `[mcp_servers.precis]\n# slow disks\n${pairs}# in s\ntool_timeout_sec = 90\n`,
      ['# slow disks', '# in s', 'tool_timeout_sec = 90'],
    ],
  ])('keeps comments of the user %s, once', async (_, table, kept) => {
    home.reset()
    const after = '\n# of the next one\n[next]\na = 1\n'
    home.write('.codex/config.toml', `# of the first one\n[first]\na = 1\n\n${table}${after}`)
    await applyPlan(planInstallation(codex, listEntries()))
    const text = home.read('.codex/config.toml')
    expect(findTomlTable(text, server)).toEqual({ type: 'installed' })
    for (const line of [...kept, '# of the first one', '# of the next one'])
      expect(text.split('\n').filter((one) => one === line)).toEqual([line])
    expect(text).toContain(after)
    await applyPlan(planRemoval(codex, listEntries()))
    const rest = home.read('.codex/config.toml')
    expect(rest.split('\n').filter((one) => one.startsWith('#'))).toEqual([
      '# of the first one',
      '# of the next one',
    ])
  })
})

describe('what version 0.1.0 wrote, without marks', () => {
  const home = useScratchHome()
  const before = 'model = "gpt-5"\r\n[features]\r\nhooks = true'
  const lead = '\r\n\r\n'
  const table =
    '[mcp_servers.precis]\r\ncommand = "/opt/node/bin/node"\r\nargs = ["/opt/precis/bin/precis.js", "mcp"]\r\n'
  const after = before + lead + table
  const uninstall = async () => await applyPlan(planRemoval(codex, listEntries()))

  test('is taken out byte for byte by its record', async () => {
    home.write('.codex/config.toml', after)
    const path = listEntries()[0]?.path
    const undo = [[{ offset: before.length, length: after.length - before.length, text: '' }]]
    const hash = createHash('sha256').update(after).digest('hex')
    const file = { path, isCreated: false, hash, undo, containers: [] }
    const agents = [{ agent: 'codex', files: [file] }]
    home.write(
      findRecordsPath().slice(home.path.length + 1),
      JSON.stringify({ version: 1, agents, folders: [] }),
    )
    await uninstall()
    expect(home.read('.codex/config.toml')).toBe(before)
  })

  test('is taken out of a file that was changed since', async () => {
    home.reset()
    home.write('.codex/config.toml', `${after}\r\n[more]\r\na = 1\r\n`)
    await uninstall()
    expect(home.read('.codex/config.toml')).toBe(`${before}\r\n\r\n[more]\r\na = 1\r\n`)
  })
})
