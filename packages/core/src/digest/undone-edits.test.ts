import { describe, expect, test } from 'vitest'
import { person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'
import { UndoneEdits } from './undone-edits.ts'

const check = ['const files = readFiles()', '  if (isHidden(path)) continue', 'return files']
const plain = [check[0]!, check[2]!]

function after(
  ...changes: (readonly [removed: readonly string[], added: readonly string[]])[]
): UndoneEdits {
  const edits = new UndoneEdits()
  changes.forEach(([removed, added], at) => {
    edits.note({ path: 'a.ts', type: 'edited', removed, added }, at)
  })
  return edits
}

describe('edits that were taken back', () => {
  test('one whose lines were taken out again, by an edit that adds nothing new', () => {
    const edits = after([plain, check], [check, plain])
    expect([edits.has(0), edits.has(1), edits.hasAll]).toEqual([true, false, true])
  })

  test('one that replaced a line which was put back', () => {
    const edits = after([['limit = 1'], ['limit = 2']], [['limit = 2'], ['limit = 1']])
    expect(edits.has(0)).toBe(true)
  })

  test('not one that was written anew, nor one of which a part is left', () => {
    expect(after([plain, check], [check, [...plain, 'skipHidden(files)']]).has(0)).toBe(false)
    expect(after([[], ['first = 1', 'second = 2']], [['first = 1'], []]).has(0)).toBe(false)
    expect(after([['limit = 1'], ['limit = 2']], [['limit = 2'], []]).has(0)).toBe(false)
  })

  test('others of the file last', () => {
    const edits = after([[], ['limit = readLimit()']], [plain, check], [check, plain])
    expect([edits.has(0), edits.has(1), edits.hasAll]).toEqual([false, true, false])
  })

  test('it stands at the file and at what the edit was for', async () => {
    const edit = (old_string: string, new_string: string, words = '') =>
      step('Edit', { file_path: 'src/files.ts', old_string, new_string }, 'ok', { words })
    const span = [
      person('Go.'),
      ...edit(plain.join('\n'), check.join('\n'), 'Hidden files are counted as well.'),
      person('No, revert that.'),
      ...edit(check.join('\n'), plain.join('\n')),
      person('Thanks.'),
    ]
    const changed = sectionOf(await digestOf(span), /changed/)
    expect(changed).toContain('- src/files.ts (undone, edited 2×)')
    expect(changed).toContain('  Hidden files are counted as well. (undone later)')
  })

  test.each(['git checkout -- src/files.ts other.ts', 'git restore src/files.ts'])(
    'by git, what was not committed: %s',
    async (command) => {
      const edit = (name: string) => {
        const new_string = `export const ${name}Files = (paths: string[]) => ${name}(paths)`
        return step('Edit', { file_path: 'src/files.ts', old_string: 'x', new_string }, 'ok')
      }
      const run = (text: string) => step('Bash', { command: text }, '')
      const changedOf = async (...more: Message[]) => {
        const text = await digestOf([person('Go.'), ...edit('sort'), ...more])
        return sectionOf(text, /changed/)
      }
      const undone = await changedOf(...run(command), person('Thanks.'))
      expect(undone).toEqual(['- src/files.ts (undone, edited 1×)'])
      for (const keeps of ['git add src', 'git diff > /tmp/a.patch'])
        expect(await changedOf(...run(`${keeps} && ${command}`))).toContain(
          '- src/files.ts (edited)',
        )
      const commit = run('git commit -qam "Sort"')
      const kept = await changedOf(...commit, ...edit('list'), ...run(command))
      expect(kept.join('\n')).toMatch(/^- src\/files.ts \(edited 2×\)\n.*sortFiles/)
      expect(kept.join('\n')).not.toContain('listFiles')
    },
  )
})
