import { mkdirSync, mkdtempSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from './make-folders.ts'

const scratch = () => mkdtempSync(join(tmpdir(), 'precis-folders-'))

test('missing folders are made, private and from the outermost on', () => {
  const home = scratch()
  mkdirSync(join(home, 'a'))
  const made: string[] = []
  makeFolders(join(home, 'a/b/c'), (path) => made.push(path))
  makeFolders(join(home, 'a/b/c'), (path) => made.push(path))
  expect(made).toEqual([join(home, 'a/b'), join(home, 'a/b/c')])
  expect(statSync(join(home, 'a/b/c')).mode & 0o777).toBe(0o700)
})

test('what is no folder, or can have none, is refused', () => {
  const home = scratch()
  writeFileSync(join(home, 'file'), '')
  expect(() => makeFolders(join(home, 'file'))).toThrow('EEXIST')
  expect(() => makeFolders(join(home, 'file/b'))).toThrow('ENOTDIR')
})

test.runIf(process.platform === 'linux')('a folder below /proc is refused', () => {
  expect(() => makeFolders('/proc/precis/data')).toThrow('ENOENT')
})

test('a folder that another process removes meanwhile is made again', () => {
  const home = scratch()
  let removals = 3
  makeFolders(join(home, 'a/b'), (path) => {
    if (path.endsWith('a') && removals-- > 0) rmdirSync(path)
  })
  expect(removals).toBe(-1)
  expect(statSync(join(home, 'a/b')).isDirectory()).toBe(true)
})
