import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { createTestPorts } from '../ports.suite.ts'
import { tools } from './index.ts'
import type { ToolSurroundings } from './tool.ts'
import { openWorkspace } from './workspace.ts'

let root: string
let folder: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'precis-tools-')))
  folder = join(root, 'project')
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(join(folder, 'src/a.ts'), 'one\ntwo needle\nthree\n')
  writeFileSync(join(root, 'outside.txt'), 'OUTSIDE')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function run(name: string, input: unknown, given: Partial<ToolSurroundings> = {}): Promise<string> {
  const tool = tools.find((known) => known.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool.run(input, {
    workspace: openWorkspace(folder, createTestPorts().files, [join(folder, 'key-of-mine')]),
    signal: new AbortController().signal,
    maxOutputCharacters: 5000,
    recall: () => '',
    ...given,
  })
}

test('the model may read, list, search and recall', () => {
  expect(tools.map(({ name }) => name)).toEqual(['read_file', 'list_files', 'search', 'recall'])
})

describe('the folder is the limit', () => {
  test.each([
    ['..', '../outside.txt'],
    ['a path that climbs out in the middle', 'src/../../outside.txt'],
    ['an absolute path', '/etc/passwd'],
    ['the folder above', '..'],
    ['something outside that is not there', '../nothing-here'],
  ])('%s is refused, and nothing is said of what is there', async (_, path) => {
    for (const tool of ['read_file', 'list_files', 'search']) {
      await expect(run(tool, { path, text: 'x' }).catch(reshape(tool, path, run))).rejects.toThrow(
        /lies outside/,
      )
    }
  })

  test.each([
    ['a link to a file outside', () => symlinkSync('../outside.txt', join(folder, 'way')), 'way'],
    ['a link to a folder outside', () => symlinkSync('..', join(folder, 'way')), 'way/outside.txt'],
    [
      'a link to a link to a file outside',
      () => {
        symlinkSync('second', join(folder, 'way'))
        symlinkSync('../outside.txt', join(folder, 'second'))
      },
      'way',
    ],
    ['a link to nothing outside', () => symlinkSync('../new.txt', join(folder, 'way')), 'way'],
  ])('%s is not read', async (_, link, path) => {
    link()
    await expect(run('read_file', { path })).rejects.toThrow(/lies outside|There is no/)
  })

  test('a link that stays inside is followed', async () => {
    symlinkSync('src/a.ts', join(folder, 'way'))
    expect(await run('read_file', { path: 'way' })).toContain('needle')
  })

  test('links are listed, and not followed by list and search', async () => {
    symlinkSync('..', join(folder, 'way'))
    symlinkSync('.', join(folder, 'circle'))
    expect((await run('list_files', {})).split('\n')).toEqual([
      'circle (link)',
      'src/',
      'src/a.ts',
      'way (link)',
    ])
    expect(await run('search', { text: 'OUTSIDE' })).toMatch(/^No line/)
  })

  test.each([
    '.env',
    '.env.local',
    'src/.ENV',
    '.git/config',
    '.npmrc',
    'keys/id_ed25519',
    'server.pem',
    'key-of-mine',
  ])('the secret %s is not read, listed or searched', async (path) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), 'TOKEN=needle-of-secrets')
    symlinkSync(path, join(folder, 'innocent'))
    for (const name of [path, `./${path}`, 'innocent']) {
      await expect(run('read_file', { path: name })).rejects.toThrow(/is not available/)
    }
    expect(await run('search', { text: 'needle-of-secrets' })).not.toContain('TOKEN')
    if (path !== 'key-of-mine') expect(await run('list_files', {})).not.toContain(`${path}\n`)
  })

  test('an example of an environment file and a public key may be read', async () => {
    for (const path of ['.env.example', 'id_ed25519.pub']) {
      writeFileSync(join(folder, path), 'fine')
      expect(await run('read_file', { path })).toContain('fine')
    }
  })
})

/** Neither `list_files` nor `read_file` has a text argument. */
function reshape(tool: string, path: string, again: typeof run) {
  return (error: Error) => {
    if (!/is wrong/.test(error.message)) throw error
    return again(tool, { path })
  }
}

describe('read_file', () => {
  test('gives numbered lines, and a range of them', async () => {
    expect(await run('read_file', { path: 'src/a.ts' })).toBe('1\tone\n2\ttwo needle\n3\tthree')
    expect(await run('read_file', { path: 'src/a.ts', first_line: 2, lines: 1 })).toBe(
      '2\ttwo needle\n[lines 2 to 2 of 3. Go on with first_line 3.]',
    )
    await expect(run('read_file', { path: 'src/a.ts', first_line: 9 })).rejects.toThrow(
      /has 3 lines/,
    )
  })

  test('stays within the room there is and says where to go on', async () => {
    writeFileSync(join(folder, 'long.txt'), 'a line of text\n'.repeat(5000))
    const output = await run('read_file', { path: 'long.txt' })
    expect(output.length).toBeLessThan(5200)
    expect(output).toMatch(/\[lines 1 to \d+ of 5000\. Go on with first_line \d+\.\]$/)
  })

  test('cuts a line that is longer than anybody reads', async () => {
    writeFileSync(join(folder, 'line.txt'), 'x'.repeat(1_000_000))
    expect((await run('read_file', { path: 'line.txt' })).length).toBeLessThan(2200)
  })

  test('refuses a huge file without reading it', async () => {
    // A sparse file takes no space, but minutes to read.
    writeFileSync(join(folder, 'huge.txt'), '')
    truncateSync(join(folder, 'huge.txt'), 2 ** 40)
    await expect(run('read_file', { path: 'huge.txt' })).rejects.toThrow(/1099511627776 bytes/)
  })

  test('refuses what is binary, a folder, a pipe and what may not be read', async () => {
    writeFileSync(join(folder, 'image.png'), Buffer.from([0x89, 0x50, 0, 0, 1]))
    await expect(run('read_file', { path: 'image.png' })).rejects.toThrow(/binary/)
    await expect(run('read_file', { path: 'src' })).rejects.toThrow(/is a folder/)
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await expect(run('read_file', { path: 'pipe' })).rejects.toThrow(/no regular file/)
    await expect(run('read_file', { path: 'nothing.txt' })).rejects.toThrow(
      /There is no "nothing.txt"/,
    )
    await expect(run('read_file', { path: 'a\0b' })).rejects.toThrow(/null character/)
  })
})

describe('search', () => {
  test('finds plain text, also what would be a pattern', async () => {
    writeFileSync(join(folder, 'b.txt'), 'f(a+)+$\n')
    expect(await run('search', { text: 'NEEDLE', ignore_case: true })).toBe(
      'src/a.ts:2: two needle\n[1 line, 2 files searched]',
    )
    expect(await run('search', { text: '(a+)+$' })).toContain('b.txt:1: f(a+)+$')
    expect(await run('search', { text: 'needle', path: 'src/a.ts' })).toContain('src/a.ts:2')
    expect(await run('search', { text: 'nowhere' })).toBe(
      'No line contains "nowhere" (2 files searched).',
    )
  })

  test('takes time in line with the size, whatever the line looks like', {
    tags: 'slow',
  }, async () => {
    const write = (length: number) =>
      writeFileSync(join(folder, 'a.txt'), `${'a'.repeat(length)}\n`)
    const search = async () =>
      expect(await run('search', { text: `${'a'.repeat(500)}b` })).toMatch(/^No line.*2 files/)
    await expectLinearGrowth(write, search, 20_000)
  })

  test('stops at as much as there is room for', async () => {
    writeFileSync(join(folder, 'many.txt'), 'needle\n'.repeat(100_000))
    expect(await run('search', { text: 'needle' })).toMatch(
      /there are more; search for something rarer/,
    )
  })

  test('ends when aborted', async () => {
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(run('search', { text: 'x' }, { signal })).rejects.toThrow('stop')
  })
})
