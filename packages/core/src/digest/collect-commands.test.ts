import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { mentionsError } from '../facts/error-lines.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

const run = (command: string, output: string) => step('Bash', { command }, output)

describe('digest, what commands printed', () => {
  test('a row without an error is no result and no error', async () => {
    const rows = ['[loop 250 ms] strict rc=0 failed:', '[loop 250 ms] basic rc=1 failed: times out']
    expect(rows.map(mentionsError)).toEqual([false, true])
    expect(mentionsError('12 checks, failed: 0')).toBe(false)
    const text = await digestOf([
      person('Go.'),
      ...run('node stall.mjs basic; node stall.mjs strict', rows.toReversed().join('\n')),
      person('Go on.'),
    ])
    expect(text).toContain('basic rc=1 failed: times out')
    expect(text).not.toContain('rc=0')
  })

  test('of runs that are compared, the last does not speak for all', async () => {
    const resultOf = async (output: string) =>
      sectionOf(
        await digestOf([person('Go.'), ...run('npm run sizes', output), person('Go on.')]),
        /Commands/,
      )
    const line = 'The built bundle without anything else'
    const sizes = ['Size: 18.7 kB, 9.44 kB minified', 'Size: 18.2 kB, 9.13 kB minified']
    expect(await resultOf([line, line, sizes[0]].join('\n'))).toEqual([
      `- npm run sizes → ok: "${sizes[0]}"`,
    ])
    expect(await resultOf([line, line, ...sizes].join('\n'))).toEqual(['- npm run sizes → ok'])
  })

  test('of commands that differ in numbers and say nothing, the newest one counts, and each is listed once', async () => {
    const probes = (output: string) =>
      [20, 40, 60, 80].flatMap((at) =>
        run(`node service/probe.mjs ${at}`, output && `${output}${at}`),
      )
    const others = ['node scripts/make-documents.mjs', 'bash scripts/collect-fonts.sh']
    const quiet = [...others.flatMap((command) => run(command, '')), ...probes('')]
    const span = [person('Go.'), ...quiet, person('Go on.')]
    const commands = sectionOf(await digestOf(span, { targetTokens: 50 }), /Commands/)
    expect(commands).toEqual([...others, 'node service/probe.mjs 80'].map((one) => `- ${one} → ok`))
    const rows = Array.from(
      { length: 20 },
      (_, row) => `row of the probe ${'abcdefghijklmnopqrst'[row]}`,
    )
    const output = [...rows, 'src/a.ts:1: error: the queue is too full', ...rows, 'port '].join(
      '\n',
    )
    const text = await digestOf([person('Go.'), ...probes(output), person('Go on.')])
    const listed = text.split('\n').filter((line) => line.startsWith('- node service/probe.mjs 60'))
    expect(listed).toHaveLength(1)
  })

  test('of what a command printed, the line is told whose numbers the agent spoke of', async () => {
    const output =
      '[load 641.6 ms] rc=0\nunchanged median 641.6 ms\nwith it median 464.7 ms\nwrote 5 files'
    const resultOf = async (words: string) =>
      sectionOf(
        await digestOf([
          person('Go.'),
          ...run('node bench.mjs', output),
          agent(words),
          person('Go on.'),
        ]),
        /Commands/,
      )[0]
    expect(await resultOf('The unchanged code takes 641.6 ms.')).toBe(
      '- node bench.mjs → ok: "unchanged median 641.6 ms"',
    )
    expect(await resultOf('It is slower than before.')).toBe(
      '- node bench.mjs → ok: "wrote 5 files"',
    )
  })

  test('a test that failed is told with what it expected and saw', async () => {
    const output = '× takes the limit\n  Expected: 5\n  Received: 3'
    const failed = step('Bash', { command: 'npm test' }, output, { isError: true })
    const passed = run('npm test', '✓ takes the limit')
    const text = await digestOf([person('Go.'), ...failed, ...passed, person('Go on.')])
    expect(text).toContain('failed before: "× takes the limit · Expected: 5 · Received: 3"')
    const open = await digestOf([person('Go.'), ...failed, person('Go on.')])
    expect(sectionOf(open, /Not resolved/).join('\n')).toMatch(/Expected: 5\n\tReceived: 3/)
  })

  test('each commit is told by the line that git printed for it, in the next generation too', async () => {
    const commit = (message: string, line: string) =>
      run(`git add -A && git commit -m "$(cat <<'EOF'\n${message}\n\nWhy it was.\nEOF\n)"`, line)
    const first = '[main 1a2b3c4] Take the limit from the options\n 2 files changed'
    const second = '[main 5d6e7f8] Say what the limit was\n 1 file changed'
    const span = [person('Go.'), ...commit('Take …', first), ...commit('Say …', second)]
    const expected = [
      '- git commit → "[main 1a2b3c4] Take the limit from the options"',
      '- git commit → "[main 5d6e7f8] Say what the limit was"',
    ]
    const text = await digestOf([...span, person('Go on.')])
    expect(sectionOf(text, /Commands/)).toEqual(expected)
    const again = await digestOf([createSummaryMessage(text, ''), agent('Done.'), person('Go on.')])
    expect(sectionOf(again, /Commands/)).toEqual(expected)
  })

  test('a commit whose command can be quoted is told with it', async () => {
    const commit = run('git commit -qm "Fix it"', '[main 1a2b3c4] Fix it')
    const both = run('npm test && git commit -qm "Fix it"', '3 tests passed')
    const text = await digestOf([person('Go.'), ...commit, ...both, person('Go on.')])
    expect(sectionOf(text, /Commands/)).toEqual([
      '- git commit -qm "Fix it" → "[main 1a2b3c4] Fix it"',
      '- npm test && git commit -qm "Fix it" → "3 tests passed"',
    ])
  })

  test('what put the work back stands before what only looked at it later', async () => {
    const look = (file: string) => run(`git diff --shortstat -- src/${file}.ts`, '')
    const text = await digestOf(
      [
        person('Go.'),
        ...run('git reset --hard HEAD~1', ''),
        ...['a', 'b', 'c', 'd'].flatMap(look),
        ...['test', 'run lint', 'run build'].flatMap((script) => run(`npm ${script}`, '')),
        person('Go on.'),
      ],
      { targetTokens: 60 },
    )
    expect(text).toContain('- git reset --hard HEAD~1 → ok')
    expect(text).not.toContain('src/a.ts')
  })

  test('where the output shows only packages that passed, they are counted, in the next generation too', async () => {
    const output = '?   \tx/cmd\t[no test files]\nok  \tx/store\t1.929s\nok  \tx/limit\t(cached)'
    const span = [person('Go.'), ...run('go test ./... 2>&1 | tail -30', output)]
    const expected = ['- go test ./... 2>&1 | tail -30 → "ok (2 packages)"']
    const text = await digestOf([...span, person('Go on.')])
    expect(sectionOf(text, /Commands/)).toEqual(expected)
    const again = await digestOf([createSummaryMessage(text, ''), agent('Done.'), person('Go on.')])
    expect(sectionOf(again, /Commands/)).toEqual(expected)
  })

  test.each([
    ['prove -v t/', 'ok 1 - adds\nok 2 - divides by\nnot ok 3 - subtracts\n1..3'],
    ['go test ./...', 'ok  x/a 0.1s\nok  x/b 0.1s\npanic: test timed out after 10m0s'],
    ['./check.sh', 'ok database reachable now\nok cache reachable now\nbad disk full'],
  ])('no packages are counted where %s says otherwise, or has none', async (command, output) => {
    const text = await digestOf([
      person('Go.'),
      ...run(`${command} 2>&1 | tail -30`, output),
      ...run(command, output),
      person('Go on.'),
    ])
    expect(text).not.toContain('packages')
  })

  test('a look that was repeated is a command, whatever it printed', async () => {
    const look = run('ls dist', 'index.js')
    const commandsOf = async (...steps: ReturnType<typeof run>[]) =>
      sectionOf(await digestOf([person('Go.'), ...steps.flat(), person('Go on.')]), /Commands/)
    expect(await commandsOf(look)).toEqual([])
    expect(await commandsOf(look, look)).toEqual([expect.stringContaining('ls dist (2×)')])
  })

  test('the examples of a document are no code of the project', async () => {
    const page =
      'The queue keeps its order.\n```js\nconst queue = new PQueue({limit: 9})\n// Error: the limit is below 1\n```\nIt has a limit.'
    const textOf = (path: string) =>
      digestOf([person('Go.'), ...step('Read', { file_path: path }, page), person('Go on.')])
    const readme = await textOf('readme.md')
    expect(readme).toContain('It has a limit.')
    expect(readme).not.toContain('new PQueue')
    expect(readme).toContain('Error: the limit is below 1')
    expect(await textOf('notes.txt')).toContain('new PQueue')
  })

  test('what was run in a folder that does not exist leaves nothing to mend', async () => {
    const of = (output: string) =>
      digestOf([
        person('Go.'),
        ...step('Bash', { command: 'cd src && make' }, output, { isError: true }),
        person('Go on.'),
      ])
    expect(await of('(eval):cd:1: no such file or directory: src')).not.toContain('Not resolved')
    expect(await of('a.c:1: no such file or directory: a.h')).toContain('Not resolved')
  })

  test('a command that does not exist leaves nothing to mend, and passes for no check', async () => {
    const missing = step(
      'Bash',
      { command: 'rtk npm test' },
      "error: unrecognized subcommand 'npm'",
      {
        isError: true,
      },
    )
    const text = await digestOf([person('Go.'), ...missing, person('Go on.')])
    expect(text).not.toMatch(/Not resolved|Checks that failed/)
    const failing = step('Bash', { command: 'npm test' }, 'a.ts:1: Error: too large', {
      isError: true,
    })
    const slip = step(
      'Bash',
      { command: 'cd sub && npm test' },
      '(eval):cd:1: no such file or directory: sub',
      {
        isError: true,
      },
    )
    const both = await digestOf([person('Go.'), ...failing, ...slip, person('Go on.')])
    expect(sectionOf(both, /Not resolved/)).toContain('- npm test → failed')
    const builds = (command: string, output: string) =>
      digestOf([
        person('Go.'),
        ...step('Bash', { command }, output, { isError: true }),
        person('On.'),
      ])
    expect(
      await builds(
        'cd sub; npx tsc',
        'bash: cd: sub: No such file or directory\nsrc/a.ts(3,1): error TS2322: no',
      ),
    ).toContain('Not resolved')
    expect(await builds('npm run test:all', 'npm error Missing script: "test"')).toContain(
      'Not resolved',
    )
  })

  test('a check that failed behind a slip, or for a command that its script lacks, is to be mended', async () => {
    const of = (command: string, output: string) =>
      digestOf([
        person('Go.'),
        ...step('Bash', { command }, output, { isError: true }),
        person('On.'),
      ])
    const elsewhere = 'bash: cd: sub: No such file or directory\n FAIL  a.test.ts > fits\n 1 failed'
    expect(await of('cd sub; npm test', elsewhere)).toContain('Not resolved')
    const lacking = '> ci\n> npm run lint && npm run tset\nnpm error Missing script: "tset"'
    expect(await of('npm run ci', lacking)).toContain('Not resolved')
    expect(await of('npm run tset', 'npm error Missing script: "tset"')).not.toContain(
      'Not resolved',
    )
  })

  test('errors that a passed check printed are none, those of a step beside it are', async () => {
    const output = 'error: the queue is full\n 9 passed (9)'
    const of = (command: string) =>
      digestOf([person('Go.'), ...run(command, output), person('On.')])
    expect(await of('cd app && npm test 2>&1')).not.toContain('queue is full')
    expect(await of('npm test; npx tsc --noEmit; git status')).toContain('queue is full')
  })

  test('a test that failed in a copy in a scratch folder is none of the project', async () => {
    const output = ' FAIL  test/main.test.ts > takes the limit\n Tests  1 failed | 8 passed (9)'
    const inCopy = 'S=/home/dev/scratch; cp -r src test $S/a; (cd $S/a && npx vitest run); ls $S'
    const textOf = (command: string) =>
      digestOf([person('Go.'), ...run(command, output), person('Go on.')])
    expect(await textOf(inCopy)).not.toContain('FAIL')
    expect(await textOf('npx vitest run; git status')).toContain('FAIL')
  })

  test('of rows that count tests the newest is told', async () => {
    const rows = ['1 failed, 9 passed in 0.31s', '2 failed, 1 warning in 0.28s']
    const spans = rows.flatMap((row, at) =>
      step('run_suite', { suite: `part${at}` }, `The suite part${at} begins.\n${row}`),
    )
    const ofFile = '8 failed of those in src/limit.test.ts'
    const more = step('run_suite', { suite: 'limit' }, `The suite limit begins.\n${ofFile}`)
    const span = [person('Go.'), ...spans, ...more, person('Go on.')]
    const seen = sectionOf(await digestOf(span), /Seen/)
    expect(seen.filter((line) => line.includes('failed'))).toEqual([
      `\t${rows[1]} (and 1 like it)`,
      `\t${ofFile}`,
    ])
  })

  test('without an exit code the output says how a command ended', async () => {
    const shell = (command: string, output: string) => step('run_shell', { command }, output)
    const failed = 'Tests:  2 failed, 3 passed, 5 total'
    const copied =
      'All of the 12 files were copied to the folder that the other server reads from at night.'
    const span = [person('Go.'), ...shell('npm test', failed), ...shell('./copy.sh', copied)]
    const first = await digestOf([...span, person('Go on.')])
    expect(first).toContain(`- npm test → failed`)
    expect(first).toContain(`- ./copy.sh → "${copied}"`)
    const titled = 'PASS src/a.test.js\n  Error handling\n    ✓ throws'
    const passed = [person('Go.'), ...shell('npm test', titled), person('Go on.')]
    expect(await digestOf(passed)).not.toContain('failed')
    const refused = [
      person('Go.'),
      ...shell('npm test', 'Error connecting to database'),
      person('Go on.'),
    ]
    expect(await digestOf(refused)).toContain('- npm test → failed')
    const again = await digestOf([createSummaryMessage(first), person('Go on.')])
    expect(again).toContain(`- ./copy.sh → "${copied}"`)
  })

  test('in the root of the disk paths stay whole', async () => {
    const span = [
      person('Go.'),
      ...run('ls /var/log/nginx', 'access.log is the first file here\nerror.log is the second one'),
      person('Go on.'),
    ]
    const text = await digestOf(span, { workingDirectory: '/' })
    expect(sectionOf(text, /Seen/)).toContain('- ls /var/log/nginx')
    expect(text).not.toContain('Folder')
  })

  test('a command stands though its description names what nothing else does', async () => {
    const command = `node ${'--option-number=1 '.repeat(20)}`
    const description = 'Starts the server of wallet_module in src/wallet/start.ts'
    const span = [person('Go.'), ...step('Bash', { command, description }, '')]
    const text = await digestOf([...span, person('Go on.')])
    expect(sectionOf(text, /Commands/).join()).toContain('wallet_module')
  })
})
