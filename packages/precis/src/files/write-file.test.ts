import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SessionError } from './errors.ts'
import { writeFileAtomically } from './write-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-write-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a new file does not replace one that was created meanwhile', async () => {
  const path = join(folder, 'new.jsonl')
  function* write() {
    yield Buffer.from('one')
    writeFileSync(path, 'of another program')
  }
  await expect(writeFileAtomically(path, write(), { isNew: true })).rejects.toThrow(
    'it exists already. Nothing was written.',
  )
  expect(readFileSync(path, 'utf8')).toBe('of another program')
  expect(readdirSync(folder)).toEqual(['new.jsonl'])
  rmSync(path)
  expect(await writeFileAtomically(path, [Buffer.from('one')], { isNew: true })).toBe(3)
  expect(readFileSync(path, 'utf8')).toBe('one')
  expect(readdirSync(folder)).toEqual(['new.jsonl'])
  rmSync(path)
})

test('a new file that fails in its last step leaves nothing', async () => {
  const path = join(folder, 'new.jsonl')
  function* write() {
    yield Buffer.from('one')
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
  }
  await expect(writeFileAtomically(path, write(), { isNew: true })).rejects.toThrow(
    'Nothing was written.',
  )
  expect(readdirSync(folder)).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)(
  'a file that root replaces stays that of its user (skipped without root)',
  async () => {
    const path = join(folder, 'settings.json')
    writeFileSync(path, '{}')
    chownSync(path, 1000, 1001)
    await writeFileAtomically(path, [Buffer.from('{"a":1}')])
    expect(statSync(path)).toMatchObject({ uid: 1000, gid: 1001 })
    rmSync(path)
  },
)

test('an error of the content keeps its words, and the old file stays', async () => {
  const path = join(folder, 'old.jsonl')
  writeFileSync(path, 'old')
  const shorter = new SessionError('changed', 'Reading "session.jsonl": it became shorter.')
  function* write() {
    yield Buffer.from('new')
    throw shorter
  }
  await expect(writeFileAtomically(path, write())).rejects.toBe(shorter)
  expect(readFileSync(path, 'utf8')).toBe('old')
  rmSync(path)
})
