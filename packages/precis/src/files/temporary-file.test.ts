import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sourceLoader } from '../../../../test/source-loader.ts'
import { createHome, runPrecis } from '../cli/command.suite.ts'
import { listFiles } from '../compression/home.suite.ts'
import { createTemporaryFile, removeAbandonedFiles } from './temporary-file.ts'
import { createTemporaryFolder, removeAbandonedFolders } from './temporary-folder.ts'

let home: string
let notes: string

beforeEach(() => {
  home = createHome()
  vi.stubEnv('XDG_DATA_HOME', join(home, 'data'))
  notes = join(home, 'data', 'precis', 'unfinished')
})

afterEach(() => vi.unstubAllEnvs())

const SOURCES = new URL('../', import.meta.url).href
const HOURS_MS = 3600 * 1000

/** Runs the code in a process that is killed when it calls the function of `node:fs`. */
function runUntilKilled(method: string, code: string): void {
  const script = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const kill = () => process.kill(process.pid, 'SIGKILL')
    fs.${method} = kill
    syncBuiltinESMExports()
    ${code.replaceAll('SOURCES/', SOURCES)}`
  const { signal, stderr } = spawnSync(
    process.execPath,
    [...sourceLoader, '--input-type=module', '-e', script],
    {
      cwd: home,
    },
  )
  expect(signal, stderr.toString()).toBe('SIGKILL')
}

/** Writes the note of a file that another process left, and gives its path. */
function leave(name: string, changes: object, ageMs: number): string {
  const path = join(home, name)
  const time = new Date(Date.now() - ageMs)
  const content = {
    path,
    process: 4_000_000,
    startedAt: '1',
    host: hostname(),
    container: '',
    ...changes,
  }
  mkdirSync(notes, { recursive: true })
  for (const [file, text] of [
    [path, 'x'],
    [join(notes, '0a1b2c3d4e5f.json'), JSON.stringify(content)],
  ] as const) {
    writeFileSync(file, text)
    utimesSync(file, time, time)
  }
  return path
}

const NAME = '.out.jsonl.0a1b2c3d4e5f.tmp'

test('a temporary folder of another container stays for a day', () => {
  const { path, remove } = createTemporaryFolder()
  const file = join(path, 'process.json')
  const owner = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...owner, process: 2 ** 22 + 1, container: 'pid:[1]' }))
  removeAbandonedFolders()
  expect(existsSync(path)).toBe(true)
  writeFileSync(file, JSON.stringify({ ...owner, process: 2 ** 22 + 1 }))
  removeAbandonedFolders()
  expect(existsSync(path)).toBe(false)
  remove()
})

describe('a temporary file', () => {
  test.each([
    [
      'a session',
      'renameSync',
      "const { writeFileAtomically } = await import('SOURCES/files/write-file.ts'); await writeFileAtomically('out.jsonl', [new Uint8Array(9)])",
    ],
    [
      'a lock',
      'linkSync',
      "const { acquireLease } = await import('SOURCES/files/file-lease.ts'); acquireLease('locks/session')",
    ],
    [
      'the answer of a model',
      'promises.rename',
      `const { openAnswerStore } = await import('SOURCES/language-models/create-summarizer.ts')
      const model = openAnswerStore('answers').wrap({ name: 'm' }, 'a')
      await model.remember({ system: 's', prompt: 'p' }, 'answer')`,
    ],
  ])(
    'of %s is removed by the next run of any command when its process was killed',
    { tags: 'slow' },
    async (_, method, code) => {
      runUntilKilled(method, code)
      const isLeft = (path: string) => path.endsWith('.tmp')
      expect(listFiles(home).filter(isLeft)).toHaveLength(1)
      await runPrecis(home, ['sessions'], { environment: { XDG_DATA_HOME: join(home, 'data') } })
      expect(listFiles(home)).toEqual([])
    },
  )

  test('of a process that lives stays, and leaves nothing when it is done', () => {
    const { path, remove } = createTemporaryFile(join(home, 'out.jsonl'))
    writeFileSync(path, 'x')
    removeAbandonedFiles()
    expect(existsSync(path)).toBe(true)
    remove()
    expect(listFiles(home)).toEqual([])
  })

  test('of another machine, container or user stays for a day', () => {
    for (const changes of [{ host: 'elsewhere' }, { container: 'pid:[1]' }]) {
      const young = leave(NAME, changes, 23 * HOURS_MS)
      removeAbandonedFiles()
      expect(existsSync(young)).toBe(true)
      const old = leave(NAME, changes, 25 * HOURS_MS)
      removeAbandonedFiles()
      expect([existsSync(old), readdirSync(notes)]).toEqual([false, []])
    }
  })

  test('is the only file that a note can have removed', () => {
    const other = leave('notes.txt', { host: 'elsewhere' }, 25 * HOURS_MS)
    removeAbandonedFiles()
    expect([readFileSync(other, 'utf8'), readdirSync(notes)]).toEqual(['x', []])
  })

  test('whose note is damaged or cannot be written is no reason to fail', () => {
    mkdirSync(notes, { recursive: true })
    for (const text of ['', 'null', '{"path":1}', '[]']) {
      writeFileSync(join(notes, '0a1b2c3d4e5f.json'), text)
      expect(removeAbandonedFiles).not.toThrow()
    }
    vi.stubEnv('XDG_DATA_HOME', join(notes, '0a1b2c3d4e5f.json'))
    expect(createTemporaryFile('x.jsonl').remove).not.toThrow()
  })

  test('has a name that every file system takes', () => {
    const target = join(home, `${'漢'.repeat(80)}.jsonl`)
    const { path, remove } = createTemporaryFile(target)
    writeFileSync(path, 'x')
    remove()
    expect(existsSync(path)).toBe(false)
  })
})
