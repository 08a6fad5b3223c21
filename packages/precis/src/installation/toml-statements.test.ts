import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { codex } from '../agents/codex/codex.ts'
import { COMMAND } from '../agents/scratch-home.suite.ts'
import { findEntry } from './find-entry.ts'
import { readTomlStatements } from './toml-statements.ts'

const [server] = codex.installation?.listEntries({ environment: {}, command: COMMAND }) ?? []

describe('a server is found in any spelling of its table', () => {
  const own = 'command = "/usr/bin/node"\nargs = ["/x/bin/precis.js", "mcp"]'
  test.each([
    [`[mcp_servers.precis]\n${own}`],
    [`[ "mcp_servers" . 'precis' ] # mine\n${own}`],
    ['[mcp_servers]\nprecis = { command = "precis", args = ["mcp"] }'],
    ['[mcp_servers]\nprecis.command = "C:\\\\x\\\\precis.cmd"\nprecis.args = [\n  "mcp", # why\n]'],
    ['mcp_servers.precis.args = ["precis", "mcp"]'],
    [`[mcp_servers.precis]\n${own}\nenabled = true\n[mcp_servers.precis.env]\nA = "b"`],
    ['[mcp_servers."p\\u0072ecis"]\ncommand = \'\'\'precis\'\'\'\nargs = ["""\nmcp"""]'],
  ])('%#', (text) => {
    expect(server && findEntry(text, server)).toEqual({ type: 'own' })
  })

  test('as installed only where it starts the very same', () => {
    const text =
      '[mcp_servers.precis]\nargs = ["/opt/precis/bin/precis.js", "mcp"]\ncommand = "/opt/node/bin/node"\n'
    expect(server && findEntry(text, server)).toEqual({ type: 'installed' })
    expect(server && findEntry(`${text}enabled = false`, server)).toEqual({ type: 'installed' })
    expect(server && findEntry(text.replace('/opt/node', '/usr'), server)).toEqual({ type: 'own' })
  })

  test('one of another is foreign, one in a string or a comment is none', () => {
    expect(server && findEntry('[mcp_servers.precis]\ncommand = "mine"', server)).toEqual({
      type: 'foreign',
    })
    expect(
      server && findEntry('# [mcp_servers.precis]\na = "[mcp_servers.precis]"', server),
    ).toEqual({
      type: 'absent',
    })
  })

  test('a value where tables should be is refused', () => {
    expect(server && findEntry('mcp_servers = { a = { command = "x" } }', server)).toMatchObject({
      type: 'unfit',
    })
  })
})

describe('readTomlStatements', () => {
  test.each([
    ['a'],
    ['a = '],
    ['[a'],
    ['a = "b'],
    ['a = """b'],
    ['[a]]'],
    ['a = 1 b = 2'],
    ['a = [1, 2'],
    ['= 1'],
    ['a = {b}'],
  ])('refuses %s', (text) => {
    expect(() => readTomlStatements(`ok = 1\n${text}`)).toThrow('line 2 is no TOML')
  })

  test('takes what is nested very deep for none', () => {
    expect(() => readTomlStatements(`a = ${'['.repeat(100_000)}`)).toThrow(SyntaxError)
  })

  test('reads dates, numbers and quotes inside quotes', () => {
    const text =
      'a = 1979-05-27 07:32:00.5Z\nb = +1.5e-3\nc = """a "" b"""" # end\nd = \'it\\\'\ne = [[1], ["x"]]\n'
    expect(
      readTomlStatements(text).map(({ path, strings }) => [path.join('.'), ...strings]),
    ).toEqual([['a'], ['b'], ['c', 'a "" b"'], ['d', 'it\\'], ['e', 'x']])
  })

  test('reads many spaces and quotes in linear time', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (count) => `a = "${'\\"'.repeat(count)}"${' '.repeat(4 * count)}\n`,
      readTomlStatements,
      5_000,
    )
  })
})

test('millions of blanks, line breaks and comments are read', () => {
  const gap = `${' '.repeat(2_000_000)}${'\n#'.repeat(1_000_000)}\n`
  const paths = readTomlStatements(`${gap}a = [${gap}1${gap}]${gap}`).map(({ path }) => path)
  expect(paths).toEqual([['a']])
})
