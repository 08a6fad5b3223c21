import { expect, test } from 'vitest'
import { joinPath, relativePath } from './paths.ts'

test.each([
  ['c:\\app\\src\\a.ts', 'C:\\app', 'src/a.ts'],
  ['C:/app/src/a.ts', 'c:/app/', 'src/a.ts'],
  ['d:\\app\\a.ts', 'C:\\app', 'd:/app/a.ts'],
  ['C:\\App\\a.ts', 'C:\\app', 'C:/App/a.ts'],
  ['c:\\apps\\a.ts', 'C:\\app', 'c:/apps/a.ts'],
  ['/A/a.ts', '/a', '/A/a.ts'],
  ['/d/app/src/a.ts', 'D:\\app', 'src/a.ts'],
  ['/c/Users/x/a.ts', 'D:\\app', 'C:/Users/x/a.ts'],
  ['/d/app/a.ts', '/app', '/d/app/a.ts'],
])('%s in %s is %s', (path, directory, relative) => {
  expect(relativePath(path, directory)).toBe(relative)
})

test.each([
  ['src', '../a.ts', 'src/../a.ts'],
  ['/app/src', '../a.ts', '/app/a.ts'],
  ['/app/src/', './../../../a.ts', '/../a.ts'],
  ['app/../src', '../a.ts', 'app/../a.ts'],
  ['D:\\app\\src', '../a.ts', 'D:/app/a.ts'],
  ['/app', '/b/a.ts', '/b/a.ts'],
])('from %s, %s is %s', (directory, path, joined) => {
  expect(joinPath(directory, path)).toBe(joined)
})
