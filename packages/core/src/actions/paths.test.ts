import { expect, test } from 'vitest'
import { relativePath } from './paths.ts'

test.each([
  ['c:\\app\\src\\a.ts', 'C:\\app', 'src/a.ts'],
  ['C:/app/src/a.ts', 'c:/app/', 'src/a.ts'],
  ['d:\\app\\a.ts', 'C:\\app', 'd:/app/a.ts'],
  ['C:\\App\\a.ts', 'C:\\app', 'C:/App/a.ts'],
  ['c:\\apps\\a.ts', 'C:\\app', 'c:/apps/a.ts'],
  ['/A/a.ts', '/a', '/A/a.ts'],
])('%s in %s is %s', (path, directory, relative) => {
  expect(relativePath(path, directory)).toBe(relative)
})
