import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { renderUnifiedDiff } from './agent-change.ts'

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''))

describe('renderUnifiedDiff', () => {
  test('shows three lines around each change, and where it is', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', ''].join('\n')
    expect(
      renderUnifiedDiff('f', before, before.replace('5\n', '5\nnew\n').replace('10\n', '')),
    ).toBe(
      [
        '--- f',
        '+++ f',
        '@@ -3,8 +3,8 @@',
        ' 3',
        ' 4',
        ' 5',
        '+new',
        ' 6',
        ' 7',
        ' 8',
        ' 9',
        '-10',
      ].join('\n'),
    )
  })

  test('shows a new file whole', () => {
    expect(renderUnifiedDiff('f', undefined, 'a\nb\n')).toBe(
      '--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b',
    )
  })

  test('turns one text into the other when patch applies it', { tags: 'property' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-diff-'))
    const path = join(folder, 'f')
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          fc.pre(before !== after && before !== '' && after !== '')
          writeFileSync(path, before)
          execFileSync('git', ['apply', '--whitespace=nowarn', '--unsafe-paths', '-p0', '-'], {
            cwd: folder,
            input: `${renderUnifiedDiff('f', before, after)}\n`,
          })
          expect(readFileSync(path, 'utf8')).toBe(after)
        }),
        { numRuns: runs(60) },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
