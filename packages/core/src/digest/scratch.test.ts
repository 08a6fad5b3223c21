import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { readScratch, worksInScratch, writesScratch } from './scratch.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

const write = (file_path: string) => step('Write', { file_path, content: 'limitOf(1)' }, 'ok')
const run = (command: string, output = '') => step('Bash', { command }, output)
const changedOf = async (said: string, ...span: Message[]) =>
  sectionOf(
    await digestOf([person(said), ...span, person('Go on.')], { workingDirectory: '/app' }),
    /changed/,
  ).filter((line) => line.startsWith('- '))

describe('scratch files', () => {
  test('one that was removed is not told as created, nor one in a folder that was', async () => {
    expect(
      await changedOf('Go.', ...write('/app/docs/blue.md'), ...run('rm docs/blue.md')),
    ).toEqual([])
    const inFolder = [...write('/home/dev/scratch/try/a.mts'), ...write('/home/dev/scratch/b.mts')]
    expect(await changedOf('Go.', ...inFolder, ...run('rm -rf /home/dev/scratch/try'))).toContain(
      '- 1 scratch file (created): /home/dev/scratch: b.mts',
    )
    const again = [...run('rm /home/dev/scratch/b.mts'), ...write('/home/dev/scratch/b.mts')]
    expect(await changedOf('Go.', ...inFolder, ...again)).toEqual([
      '- 2 scratch files (created): /home/dev/scratch: b.mts; /home/dev/scratch/try: a.mts',
    ])
  })

  test('a file in a folder that was removed is gone, also where an earlier digest tells of it', async () => {
    const span = [...write('/app/ts/src/a.ts'), ...write('/app/ts/b.ts'), ...write('/app/py/c.py')]
    const removal = run('rm -rf /app/ts')
    expect(await changedOf('Go.', ...span, ...removal)).toEqual(['- py/c.py (created)'])
    const first = await digestOf([person('Go.'), ...span, person('Go on.')], {
      workingDirectory: '/app',
    })
    const later = await changedOf('Go.', createSummaryMessage(first), ...removal)
    expect(later).toEqual(['- py/c.py (created)'])
    expect(await changedOf('Go.', ...span, ...run('mv /app/ts /app/web'))).toContain(
      '- ts/b.ts (created)',
    )
    const temporary = [...write('/tmp/try/a.mts'), ...run('rm -rf /tmp/try')]
    expect(await changedOf('Go.', ...temporary)).toEqual([])
    const atOnce = run('mkdir ts && echo a > ts/d.txt && rm -rf ts')
    expect(await changedOf('Go.', ...atOnce)).toEqual([])
    expect(await changedOf('Go.', ...span, ...removal, ...write('/app/ts/b.ts'))).toEqual([
      '- ts/b.ts (created, edited)',
      '- py/c.py (created)',
    ])
  })

  test('files of a removed folder that may be elsewhere or were put back stay, and so does its name if more was in it', async () => {
    const span = write('/app/ts/b.ts')
    expect(await changedOf('Go.', ...span, ...run('rm -rf ts/'))).toEqual([])
    const copies = ['cp -r ts/. web && rm -rf ts', 'mv ts /tmp/b; npm test; mv /tmp/b ts']
    for (const command of copies)
      expect(await changedOf('Go.', ...span, ...run(command))).toContain('- ts/b.ts (created)')
    const worktree = [...run('git worktree add ../x'), ...write('/x/b.ts'), ...run('rm -rf ../x')]
    expect(await changedOf('Go.', ...worktree)).toContain('- /x/b.ts (created)')
    const edit = { file_path: '/app/ts/a.ts', old_string: 'first()', new_string: 'second()' }
    const edited = [...step('Edit', edit, 'ok'), ...run('rm -rf ts')]
    expect(await changedOf('Go.', ...edited)).toContain('- ts (deleted)')
    const restored = await changedOf('Go.', ...edited, ...run('git checkout -- ts'))
    expect(restored.filter((line) => line.includes('a.ts'))).not.toContain('- ts/a.ts (deleted)')
  })

  test.each([
    ['node --import=tsx/esm ~/a.mts', '- 1 scratch file (created): ~: a.mts'],
    ['cd /app && ~/a.mts', '- 1 scratch file (created): ~: a.mts'],
    ['code ~/a.mts', '- ~/a.mts (created)'],
    ['cat ~/a.mts | head', '- ~/a.mts (created)'],
  ])('outside of the repository, after %j the file is %j', async (command, expected) => {
    expect(await changedOf('Go.', ...write('~/a.mts'), ...run(command))).toEqual([expected])
  })

  test('one that the user names is told as what was done to it', async () => {
    const made = [...write('~/.app/themes/nord.json'), ...run('rm ~/.app/themes/nord.json')]
    expect(await changedOf('Remove the nord.json again.', ...made)).toEqual([
      '- ~/.app/themes/nord.json (deleted)',
    ])
    const copied = [...write('/app/src/limit.ts'), ...write('/tmp/copy/src/limit.ts')]
    expect(await changedOf('Mend src/limit.ts.', ...copied)).toEqual([
      '- src/limit.ts (created)',
      '- 1 scratch file (created): /tmp/copy/src: limit.ts',
    ])
  })

  test('without a working directory, a file that was run is not one', async () => {
    const span = [...write('/app/src/server.ts'), ...run('node /app/src/server.ts')]
    const text = await digestOf([person('Go.'), ...span, person('Go on.')])
    expect(sectionOf(text, /changed/)).toContain('- /app/src/server.ts (created)')
  })

  test('names that look like the line itself are only counted, also by the next digest', async () => {
    const odd = [...write('/tmp/a, b.py'), ...write('/home/x/tmp/c: y.ts'), ...write('/tmp/d.py')]
    const line = '- 3 scratch files (created): /tmp: d.py and 2 more'
    expect(await changedOf('Go.', ...odd)).toEqual([line])
    expect(readScratch(line.slice(2))).toEqual({ paths: ['/tmp/d.py'], unnamed: 2 })
    const unnamed = '- 1 scratch file (created)'
    expect(await changedOf('Go.', ...write('/tmp/a; b.py'))).toEqual([unnamed])
    expect(readScratch(unnamed.slice(2))).toEqual({ paths: [], unnamed: 1 })
  })

  test.each([
    ['S=/home/dev/scratch\ncp -r src $S/a\n(cd $S/a && npx vitest run)', true],
    ['npx vitest run --root /tmp/a', true],
    ['cd /app && npx vitest run > /tmp/out.txt', false],
    ['cd /app/tmp && npm test', false],
    ['npm test', false],
  ])('%j works in a scratch folder: %j', (command, expected) => {
    expect(worksInScratch(command, '/app')).toBe(expected)
  })

  test.each([
    ["S=/home/dev/scratch; cat > $S/a.mjs <<'X'\nblock()\nX\nnpx vitest run", true],
    ["cat > /tmp/a.py <<'E'\nprint(1)\nE\npytest", true],
    ["cat > src/a.ts <<'E'\nlet a\nE\nnpx vitest run /tmp/a", false],
    ['npx vitest run > /tmp/log', false],
  ])('%j writes a script to a scratch folder: %j', (command, expected) => {
    expect(writesScratch(command, '/app')).toBe(expected)
  })

  test('what went wrong with a scratch script is not open when the turn was answered', async () => {
    const command = "S=/home/dev/scratch; cat > $S/a.mjs <<'X'\nblock()\nX\nnpx vitest run"
    const failed = step('Bash', { command }, 'AssertionError: expected 3, got 5\nExit code 1', {
      isError: true,
    })
    const span = [person('Which tests are flaky?'), ...failed]
    expect(await digestOf([...span, person('Go on.')])).toContain('## Not resolved')
    const answered = [...span, agent('Two of them, see `a.test.ts:9`.'), person('Go on.')]
    expect(await digestOf(answered)).not.toContain('## Not resolved')
  })

  test.each([
    ['/tmp/app', 'cd /tmp/app && npx vitest run'],
    ['/work/app', 'cd /work/app/tmp/site && npx vitest run'],
  ])(
    'a check inside of the project is no look, with %s as its folder',
    async (workingDirectory, command) => {
      const failed = step('Bash', { command }, 'AssertionError: expected 3, got 5\nExit code 1', {
        isError: true,
      })
      const span = [person('Run it.'), ...failed, agent('One fails, see `a.test.ts:9`.')]
      const text = await digestOf([...span, person('Go on.')], { workingDirectory })
      expect(text).toContain('## Not resolved')
    },
  )
})
