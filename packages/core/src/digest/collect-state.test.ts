import { describe, expect, test } from 'vitest'
import { agent, injected, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { digestOf, sectionOf, step, stepsOf } from './spans.suite.ts'

const run = (command: string, output = '', isError = false) =>
  step('Bash', { command }, output, { isError })
const edit = (path: string, words = '') =>
  step('Edit', { file_path: path, old_string: 'a', new_string: `const limit = '${path}'` }, 'ok', {
    words,
  })
const stateOf = async (...span: Message[]) =>
  sectionOf(await digestOf([person('Go.'), ...span]), /Where things stand/)

describe('where things stand', () => {
  test('names the last request that it covers, or how many steps there were without one', async () => {
    expect((await stateOf(agent('Done with all of it.'), person('More.')))[0]).toBe(
      '- The last request that this record covers: [2]',
    )
    const later = [...run('make'), ...run('make all')]
    expect(sectionOf(await digestOf(later), /Where/)[0]).toBe('- 2 steps of one turn')
  })

  test.each([
    ['git checkout -b fix/limit', '', 'fix/limit'],
    ['git switch main', "Switched to branch 'main'", 'main'],
    ['git branch --show-current', 'feature/cache\n', 'feature/cache'],
    ['git status', 'On branch release/2\nnothing to commit', 'release/2'],
    ['git commit -m "Add"', '[topic 1a2b3c4] Add', 'topic'],
  ])('%j with %j is on a branch', async (command, output, branch) => {
    expect(await stateOf(...run('git checkout -b older'), ...run(command, output))).toContain(
      `- Branch: ${branch}`,
    )
  })

  test('a file that is checked out and a switch that failed name no branch', async () => {
    const state = await stateOf(
      ...run('git checkout src/a.ts'),
      ...run('git switch gone', 'fatal: no', true),
    )
    expect(state.join('\n')).not.toContain('Branch')
  })

  test('files that were changed after the last check that passed are named, the newest six', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => `src/part${index}.ts`)
    const state = await stateOf(
      ...run('npm test', '9 passed'),
      ...paths.flatMap((path) => edit(path)),
    )
    expect(state).toContain(
      `- Changed since the last check that passed: ${paths.slice(2).join(', ')} and 2 more`,
    )
    expect(await stateOf(...edit('a.ts'))).toContain(
      '- Changed and not checked by a test or a build: a.ts',
    )
  })

  test('only a check that passed makes up for a change: no failed one, no look at a file of tests', async () => {
    const changed = '- Changed and not checked by a test or a build: a.ts'
    expect(await stateOf(...edit('a.ts'), ...run('npm test', 'Error: boom', true))).toContain(
      changed,
    )
    expect(await stateOf(...edit('a.ts'), ...run('npm test | tail -3', '2 failed'))).toContain(
      changed,
    )
    expect(await stateOf(...edit('a.ts'), ...run('ls test', 'a.test.ts'))).toContain(changed)
    expect(await stateOf(...edit('a.ts'), ...run('npm test', '9 passed'))).not.toContain(changed)
  })

  test('checks that were not run since the last change are named, those run most often first, and no focused ones', async () => {
    const checks = [
      'make lint',
      'npm test',
      'npm test 2>&1 | tail -5',
      'npm test -- -t limit',
      'npx tsc --noEmit',
    ]
    const state = await stateOf(
      ...checks.flatMap((command) => run(command, 'all is well')),
      ...edit('a.ts'),
      ...run('npx tsc --noEmit'),
    )
    expect(state).toContain('- Checks not run since the last change: npm test; make lint')
    const none = await stateOf(...edit('a.ts'), ...run('npm test', '9 passed'))
    expect(none.join('\n')).not.toContain('Checks')
  })

  test('a check that failed stands with what it reported, not among those to run', async () => {
    const state = await stateOf(...run('npm test', 'Error: boom', true), ...edit('a.ts'))
    expect(state.join('\n')).not.toContain('Checks not run')
    expect(state).toContain('\tnpm test → failed')
  })

  test('each part of a combined command that passed was run', async () => {
    const parts = [...run('mise run lint'), ...run('mise run test 2>&1 | tail -3', 'ok')]
    const all = 'mise run fmt && mise run lint && mise run test 2>&1 | tail -3'
    expect(
      (await stateOf(...parts, ...edit('a.ts'), ...run(all, '0 issues.'))).join('\n'),
    ).not.toContain('Checks')
    const one = await stateOf(
      ...parts,
      ...edit('a.ts'),
      ...run('mise run fmt && mise run lint', '0 issues.'),
    )
    expect(one).toContain('- Checks not run since the last change: mise run test')
    const failed = await stateOf(...parts, ...edit('a.ts'), ...run(all, 'Error: boom', true))
    expect(failed).toContain('- Checks not run since the last change: mise run test; mise run lint')
  })

  test('a narrower check is made up for by a wider one', async () => {
    const state = await stateOf(
      ...run('go build ./...'),
      ...edit('a.go'),
      ...run('go test ./...', 'ok'),
    )
    expect(state.join('\n')).not.toContain('Checks')
  })

  test('beside checks that were not run since the last change stand those that failed, until they pass', async () => {
    const before = [...run('go build ./...'), ...edit('a_test.go')]
    const state = await stateOf(...before, ...run('mise run test', 'Error: boom', true))
    expect(state).toContain('- Checks not run since the last change: go build ./...')
    expect(state).toContain('- Checks that failed when they were last run: mise run test')
    const passed = await stateOf(
      ...before,
      ...run('make lint', 'Error: x', true),
      ...run('make lint', '0 issues.'),
    )
    expect(passed.join('\n')).not.toContain('failed when')
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected."
    const refused = await stateOf(...before, ...run('mise run test', refusal, true))
    expect(refused.join('\n')).not.toContain('failed when')
  })

  test('a command that a kept message tells the end of does not run any more', async () => {
    const poll = { session_id: 7, chars: '' }
    const started = step(
      'exec_command',
      { cmd: 'npm test' },
      'Process running with session ID 7\nOutput:\n',
    )
    const ended = step('write_stdin', poll, 'Process exited with code 0\nOutput:\n9 passed in all')
    const other = step(
      'write_stdin',
      { session_id: 8, chars: '' },
      'Process exited with code 1\nOutput:\nnone',
    )
    expect(stepsOf(await digestOf([person('Go.'), ...started]))).toEqual([
      'npm test → still running',
    ])
    expect(stepsOf(await digestOf([person('Go.'), ...started], { kept: ended }))[0]).toMatch(
      /^npm test → (?:ok|"9)/,
    )
    expect(stepsOf(await digestOf([person('Go.'), ...started], { kept: other }))).toEqual([
      'npm test → still running',
    ])
  })

  test('checks that the agent named as code and never ran are named', async () => {
    const said =
      'The parser is done: `npm test` passes. `make e2e` is next, `src/test.ts` has the `build` of it.'
    const state = await stateOf(...run('npm test', '9 passed'), agent(said))
    expect(state).toContain('- Checks named and not run: make e2e')
    expect(
      (await stateOf(agent(said), ...run('make e2e'), ...run('npm test'))).join('\n'),
    ).not.toContain('not run')
  })

  test('what the last words announced and what reports call open stands there, and not in the conversation as well', async () => {
    const text = await digestOf([
      person('Go.'),
      agent('The parser works.\n- The docs are not yet updated for it.'),
      person('Go on.'),
      ...run('make docs'),
      agent('Let me run the benchmarks once more.'),
    ])
    const state = sectionOf(text, /Where/)
    expect(state).toContain('- Open: The docs are not yet updated for it.')
    expect(state).toContain('- Announced: Let me run the benchmarks once more.')
    expect(sectionOf(text, /conversation/)).toEqual(['[1]', '- The parser works.'])
  })

  test('of a line, the sentences that say what is open stand there, unless calls follow in their turn', async () => {
    const words =
      'I would not try to do broad normalization beyond that. The old branch remains as a backup until the next prompt, which may be much later than that. The docs are not yet updated for it.'
    const span = [person('Go.'), agent(words)]
    const openOf = async (...given: Parameters<typeof digestOf>) =>
      sectionOf(await digestOf(...given), /Where/).filter((line) =>
        /^- (?:Open|Announced)/.test(line),
      )
    expect(await openOf([...span, person('More.')])).toEqual([
      '- Open: The docs are not yet updated for it.',
    ])
    expect(await openOf([...span, ...run('ls docs')])).toEqual([])
    const tail = run('ls docs')
    const turns = new Map([...span, ...tail].map((message) => [message, 1]))
    expect(await openOf(span, { kept: tail, turns })).toEqual([])
    const announced = [person('Go.'), agent('Now I will update the docs for it.')]
    const goesOn = new Map([...announced, ...tail].map((message) => [message, 1]))
    expect(await openOf(announced, { kept: tail, turns: goesOn })).toEqual([])
    expect(await openOf(announced, { kept: tail })).toHaveLength(1)
  })

  test('open questions of an answer are kept first, and are named as open only with them', async () => {
    const questions = [
      'It works.',
      '',
      '**Questions**',
      '1. Should `strictLimit` hold for the parts of it as well?',
      '2. Is a name like `no-limit` to be taken as it is?',
    ].join('\n')
    const open = 'The questions from my last answer are still open.'
    const more = Array.from({ length: 12 }, (_, part) => [
      person(`Explain part ${part}, and list its fields with the lines.`),
      agent(`Part ${part} has ${part + 200} fields in \`part${part}.ts:${part + 10}\`.`),
    ]).flat()
    const told = [...more, person('Build it.'), agent(questions), person('Show the help.')]
    const text = await digestOf([...told, agent(`It has 3 lines. ${open}`)], { targetTokens: 300 })
    expect(text).toContain(`- Open: ${open}`)
    expect(text).toContain('Should `strictLimit` hold')
    expect(text).toContain('Is a name like `no-limit`')
    const without = await digestOf([person('Go.'), agent(`It has 3 lines. ${open}`)])
    expect(without).not.toContain('- Open')
    const replied = [...told, person('1. yes 2. no, as you suggested'), agent(`Done. ${open}`)]
    expect(await digestOf(replied)).not.toContain('- Open')
  })

  test('a question that is open is no announcement, and what was announced and done is none any more', async () => {
    const state = await stateOf(agent('Should I update the docs that remain?'), ...run('make'))
    expect(state.join('\n')).not.toMatch(/Open|Announced/)
    const done = await stateOf(
      ...step('Bash', { command: 'make' }, '', { words: 'Let me build it all first.' }),
    )
    expect(done.join('\n')).not.toContain('Let me build')
    const introduced = 'Now I will list all the changes that were made:'
    const list = `${introduced}\n\n- The parser reads ranges.`
    expect((await stateOf(agent(list))).join('\n')).not.toContain('Announced')
    expect(await stateOf(agent(introduced))).toContain(`- Announced: ${introduced}`)
    const number = 'Confirmed `0012` is next migration number in this branch.'
    expect((await stateOf(agent(number), person('Go.'))).join('\n')).not.toContain('Open')
    const part = 'The parser works, and the lexer is next.'
    expect(await stateOf(agent(part), person('Go.'))).toContain(`- Open: ${part}`)
  })

  test('what may be done one day, and the name of what was done, is not open', async () => {
    const openOf = async (words: string) =>
      (await stateOf(agent(words), person('Go.'))).filter((line) => line.startsWith('- Open'))
    for (const words of [
      'The check stays behind a flag so we can re-enable it later.',
      'The cache for signatures is additive and could come later.',
      'Next time the agent fails, you will see more in the logs.',
      'The failure is in the next step of the login.',
      'I sent that as a follow-up to the worker that runs.',
      'Todo for the second finding committed to the branch.',
      'The script runs pending migrations before it starts.',
      'Squash the branch if you have not already.',
    ])
      expect(await openOf(words)).toEqual([])
    for (const words of [
      'The signature cache is left for later.',
      'Next step after the commit: split the plan.',
      'The rewrite of the map is a separate follow-up.',
      'The release is still pending.',
      'TODO: split the parser into two files.',
      'I have not merged the branch to main.',
      'Next steps: get the plan approved and #12 merged.',
      'Follow-up: remove the flag once the migration is completed.',
      'I left the rename for later because it would break the API.',
      'TODO(ana): split the parser into two files.',
      'The rewrite of the map is still a TODO.',
      'The migration of the users is done, deployment pending on the release.',
    ])
      expect(await openOf(words)).toEqual([`- Open: ${words}`])
  })

  test('the last six steps stand there, oldest first, with what was found before them and nothing that only announces', async () => {
    const words = 'The limit is off by one.\n```ts\nconst shown = 1\n```\nLet me fix that now.'
    const text = await digestOf([
      person('Go.'),
      ...['a', 'b', 'c', 'd'].flatMap((name) => run(`make ${name}`)),
      ...step('Read', { file_path: 'limit.ts' }, 'x'),
      ...step('Grep', { pattern: 'limit', path: 'src' }, 'src/a.ts:1: limit'),
      ...edit('limit.ts', words),
    ])
    expect(stepsOf(text)).toEqual([
      'make b → ok',
      'make c → ok',
      'make d → ok',
      'Read: limit.ts',
      'Grep: src limit',
      '  The limit is off by one.',
      'Edit: limit.ts',
    ])
  })

  test('how often a command was run is told once', async () => {
    const steps = stepsOf(
      await digestOf([person('Go.'), ...run('make'), ...edit('a.ts'), ...run('make')]),
    )
    expect(steps).toEqual(['make → ok', 'Edit: a.ts', 'make (2×) → ok'])
  })

  test('steps before the last request are commands', async () => {
    const text = await digestOf([
      person('Go.'),
      ...run('make all'),
      agent('Built.'),
      person('Go on.'),
    ])
    expect(stepsOf(text).join('\n')).not.toContain('make all')
    expect(sectionOf(text, /Commands/)).toEqual(['- make all → ok'])
  })

  test('steps stand once, there or among the commands, however long they are', async () => {
    const steps = Array.from({ length: 6 }, (_, index) =>
      run(`make part-${index} ${'LIMIT=long '.repeat(40)}`),
    ).flat()
    const text = await digestOf([person('Go.'), ...steps], { targetTokens: 1_200 })
    for (let index = 0; index < 6; index++)
      expect(text.split(`make part-${index} `)).toHaveLength(2)
  })

  test.each([
    ['git checkout .', 'Updated 3 paths from the index'],
    ['git checkout Makefile', 'Updated 1 path from the index'],
    ['git checkout -f', ''],
  ])('%s names no branch', async (command, output) => {
    const state = await stateOf(
      ...run('git switch feature', "Switched to branch 'feature'"),
      ...run(command, output),
      person('Go on.'),
    )
    expect(state).toContain('- Branch: feature')
  })

  test.each([
    ['git checkout -', '', undefined],
    ['git checkout -', "Switched to branch 'main'", 'main'],
    ['git switch release/1.2', "Switched to branch 'release/1.2'", 'release/1.2'],
    ['git switch fix#12', "Switched to branch 'fix#12'", 'fix#12'],
    ['git commit -m "Add it"', '[detached HEAD 1a2b3c4] Add it', undefined],
  ])('after %s the earlier branch is left', async (command, output, branch) => {
    const state = await stateOf(
      ...run('git switch feature', "Switched to branch 'feature'"),
      ...run(command, output),
      person('Go on.'),
    )
    expect(state.filter((line) => line.startsWith('- Branch: '))).toEqual(
      branch === undefined ? [] : [`- Branch: ${branch}`],
    )
  })

  test('a check that still runs has not passed', async () => {
    const running = step(
      'Bash',
      { command: 'npm test', run_in_background: true },
      'Command running in background with ID: bash_1',
    )
    const state = await stateOf(...edit('src/a.ts'), ...running, person('Go on.'))
    expect(state).toContain('- Changed and not checked by a test or a build: src/a.ts')
  })

  describe('in the background', () => {
    const notice = (id: string, status: string, more = '') =>
      injected(
        `<task-notification>\n<task-id>${id}</task-id>\n<status>${status}</status>${more}\n</task-notification>`,
      )
    const test1 = { command: 'npm test', run_in_background: true }
    const agentStarted =
      'Async agent launched successfully.\nagentId: a1 (internal ID)\nWait for it.'

    test.each([
      'Command running in background with ID: b1. Output is elsewhere.',
      'Command was manually backgrounded by user with ID: b1. Output is elsewhere.',
      'Command exceeded its 120s timeout and was moved to the background (ID: b1). Output is elsewhere.',
      'Background shell started.\nid: b1\npid: 7',
    ])('a command runs until the host tells its end: %s', async (started) => {
      const begun = step('Bash', test1, started)
      const made = async (...messages: Message[]) =>
        (await stateOf(...begun, ...messages)).filter((line) => line.startsWith('- Made: '))
      const steps = async (...messages: Message[]) =>
        stepsOf(await digestOf([person('Go.'), ...begun, ...messages]))
      expect(await made()).toEqual(['- Made: background task b1 (running)'])
      expect(await steps()).toEqual(['npm test → still running'])
      expect(await made(notice('b1', 'running'))).toHaveLength(1)
      expect(await made(notice('b2', 'completed'))).toHaveLength(1)
      const failed = '<summary>Background command "npm test" failed (exit code 2)</summary>'
      for (const end of [failed, '<exit-code>2</exit-code>']) {
        expect(await made(notice('b1', 'failed', end))).toEqual([])
        expect(await steps(notice('b1', 'failed', end))).toEqual(['npm test → failed (exit 2)'])
      }
      expect(await steps(notice('b1', 'killed'))).toEqual(['npm test → stopped'])
      const stop = step('KillShell', { shell_id: 'b1' }, 'Successfully killed shell: b1')
      expect((await steps(...stop))[0]).toBe('npm test → stopped')
      const poll = step('TaskOutput', { task_id: 'b1' }, '<status>completed</status>')
      expect(await made(...poll)).toEqual([])
      const kept = await digestOf([person('Go.'), ...begun], { kept: [notice('b1', 'completed')] })
      expect(kept).not.toContain('running')
    })

    test.each([
      ['<command with shellId: 3 is still running after 30 seconds. Use read_bash.>', 'bash'],
      ['<command started in background with shellId: 3>', 'bash'],
      ['<command started in detached background with shellId: 3>', 'powershell'],
    ])('a command of GitHub Copilot CLI runs until its end is told: %s', async (started, shell) => {
      const begun = step(shell, test1, started)
      const made = async (...messages: Message[]) =>
        (await stateOf(...begun, ...messages)).filter((line) => line.startsWith('- Made: '))
      const steps = async (...messages: Message[]) =>
        stepsOf(await digestOf([person('Go.'), ...begun, ...messages]))
      expect(await made()).toEqual(['- Made: background task 3 (running)'])
      expect(await steps()).toEqual(['npm test → still running'])
      const told = injected(
        '<system_notification>\nShell command "Test (all)" (shellId: 3) has exited with exit code 1. Use read_bash with shellId "3" to retrieve the output.\n</system_notification>',
      )
      expect(await made(told)).toEqual([])
      expect((await steps(told))[0]).toBe('npm test → failed (exit 1)')
      const poll = step(
        `read_${shell}`,
        { shellId: '3' },
        '9 passed\n<command with id: 3 exited with exit code 0>',
      )
      expect(await steps(...poll)).toEqual(['npm test → "9 passed"'])
      const stop = step(`stop_${shell}`, { shellId: '3' }, '<command with id: 3 stopped>')
      expect((await steps(...stop))[0]).toBe('npm test → stopped')
    })

    test('an agent of GitHub Copilot CLI runs until it is read', async () => {
      const started = 'Agent started in background with agent_id: auth. You will be notified.'
      const begun = step(
        'task',
        { description: 'Auth', prompt: 'Look.', mode: 'background' },
        started,
      )
      const digest = (...messages: Message[]) => digestOf([person('Go.'), ...begun, ...messages])
      expect(stepsOf(await digest())).toEqual(['task: Auth → still running'])
      const read = (text: string) => step('read_agent', { agent_id: 'auth' }, text)
      const waited = await digest(
        ...read('Agent is still running. agent_id: auth, status: running.'),
      )
      expect(stepsOf(waited)).toEqual(['task: Auth → still running'])
      const found = read('Agent completed. agent_id: auth, status: completed\n\nIt uses cookies.')
      expect(await digest(...found)).toContain('It uses cookies.')
      expect(await digest(...found)).not.toContain('running')
      const idle = injected(
        '<system_notification>\nAgent "auth" (explore) has completed successfully. Use read_agent with agent_id "auth".\n</system_notification>',
      )
      expect(await digest(idle)).not.toContain('running')
    })

    test('an agent runs until the host tells what it found', async () => {
      const begun = step('Agent', { description: 'Review', prompt: 'Review it.' }, agentStarted)
      const running = await digestOf([person('Go.'), ...begun])
      expect(stepsOf(running)).toEqual(['Agent: Review → still running'])
      expect(running).not.toContain('launched')
      const found = '\n<result>src/parse.ts:41 drops a &lt;b&gt; that has no end.</result>'
      const ended = await digestOf([person('Go.'), ...begun, notice('a1', 'completed', found)])
      expect(stepsOf(ended)).toEqual(['Agent: Review'])
      expect(ended).toContain('src/parse.ts:41 drops a <b> that has no end.')
    })
  })
})
