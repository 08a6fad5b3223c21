import { describe, expect, test } from 'vitest'
import { person } from '../conversation/histories.suite.ts'
import { type Candidate, createGroup, type Group } from './draft.ts'
import { renderDigest } from './render.ts'
import { digestOf, sectionOf, step, stepsOf } from './spans.suite.ts'

const line = (group: Group, order: number, text: string, tells?: string[]): Candidate => ({
  kind: 'seen',
  group,
  order,
  text,
  entities: [],
  value: 1,
  tells,
})

describe('a digest as text', () => {
  const steps = createGroup('state', 1, '- The last steps:')
  const changed = createGroup('changed', 0)
  const seen = createGroup('seen', 0, '- npm test')

  test('sections, groups and lines stand in their order, whatever the order they were chosen in', () => {
    const other = createGroup('seen', -1, '- rg limit')
    const chosen = [
      line(seen, 2, '\tb'),
      line(seen, 1, '\ta'),
      line(other, 0, '\tc'),
      line(steps, 0, '\tnpm test'),
    ]
    const text = [
      '## Where things stand',
      '- The last steps:',
      '\tnpm test',
      '',
      '## Seen',
      '- rg limit',
      '\tc',
      '- npm test',
      '\ta',
      '\tb',
    ]
    expect(renderDigest(chosen)).toBe(text.join('\n'))
  })

  test('a line of content stands once, where it comes first', () => {
    const chosen = [
      line(seen, 1, '\tlimit = 9'),
      line(changed, 1, '\tlimit = 9'),
      line(seen, 2, '\tlimit = 8'),
    ]
    expect(renderDigest(chosen)).toBe(
      '## Files changed\n\tlimit = 9\n\n## Seen\n- npm test\n\tlimit = 8',
    )
  })

  test('a line stands with the one that it says nothing without, also where that was told further up', () => {
    const commands = createGroup('commands', 0)
    const named = line(commands, 0, '- npm test → ok', ['run'])
    const error = { ...line(commands, 1, '\tError: no rule'), needs: named }
    const told = line(steps, 0, '\tnpm test → ok', ['run'])
    expect(renderDigest([told, named, error])).toContain(
      '## Commands\n- npm test → ok\n\tError: no rule',
    )
    expect(renderDigest([told, named])).not.toContain('## Commands')
  })

  test('what was told further up is left out, with its heading and its section when nothing else is in them', () => {
    const told = line(steps, 0, '\tnpm test → ok: "9 passed"', ['run', '\t9 passed'])
    const repeated = [
      line(seen, 0, '\t9 passed'),
      line(createGroup('commands', 0), 0, '- npm test → ok', ['run']),
    ]
    expect(renderDigest([told, ...repeated])).toBe(renderDigest([told]))
  })

  test('what tells more than was told stands', () => {
    const chosen = [line(steps, 0, '\tnpm test', ['run']), line(seen, 0, '\tmore', ['run', 'more'])]
    expect(renderDigest(chosen)).toContain('\tmore')
  })
})

describe('digest, each thing in one place', () => {
  const run = (command: string, output: string, isError = false) =>
    step('Bash', { command }, output, { isError })
  const count = (text: string, part: string) => text.split(part).length - 1

  test('the last steps are not told again as commands, older ones are', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const text = await digestOf([
      person('Go.'),
      ...names.flatMap((name) => run(`make part-${name}`, '')),
    ])
    expect(sectionOf(text, /Commands/)).toEqual(['- make part-a → ok', '- make part-b → ok'])
    expect(stepsOf(text)).toEqual(names.slice(2).map((name) => `make part-${name} → ok`))
  })

  test('what an open failure reported stands below the step, or else among what is not resolved', async () => {
    const failed = run(
      'make check',
      'Exit code 2\nError: limit is not defined\nmake: *** stopped',
      true,
    )
    const now = await digestOf([person('Go.'), ...failed])
    expect(stepsOf(now)).toEqual(['make check → failed (exit 2)', '  Error: limit is not defined'])
    const later = await digestOf([person('Go.'), ...failed, person('Go on.')])
    expect(sectionOf(later, /Not resolved/)).toEqual([
      '- make check → failed (exit 2)',
      '\tError: limit is not defined',
    ])
    for (const text of [now, later]) {
      expect(count(text, 'limit is not defined')).toBe(1)
      expect(count(text, 'make check')).toBe(1)
    }
  })

  test('the line that sums up a command is not shown again as seen', async () => {
    const output = [
      'store.test.ts checks the cacheLimit',
      'other.test.ts checks the cacheName',
      '2 tests passed',
    ]
    const text = await digestOf([
      person('Go.'),
      ...run('npm test', output.join('\n')),
      person('Go on.'),
    ])
    expect(sectionOf(text, /Commands/)).toEqual(['- npm test → ok: "2 tests passed"'])
    expect(sectionOf(text, /Seen/).map((one) => one.trim())).toEqual([
      '- npm test',
      ...output.slice(0, 2),
    ])
  })

  test('what is said before the last steps is told there, not as the purpose of an edit as well', async () => {
    const edit = { file_path: 'a.ts', old_string: 'a', new_string: 'const cacheLimit = 9' }
    const text = await digestOf([
      person('Go.'),
      ...step('Edit', edit, 'ok', { words: 'The cache was too small.' }),
    ])
    expect(stepsOf(text)).toEqual(['  The cache was too small.', 'Edit: a.ts'])
    expect(count(text, 'too small')).toBe(1)
  })
})
