import { describe, expect, test } from 'vitest'
import type { CallOutcome } from '../actions/outcome.ts'
import { readToolCalls } from '../actions/tool-calls.ts'
import type { ToolCallPart } from '../conversation/message.ts'
import { findCallErrors } from './call-errors.ts'

const callOf = (name: string, input: unknown): ToolCallPart => ({
  type: 'tool-call',
  callId: 'c',
  name,
  input,
})
const find = (name: string, input: unknown, text: string, outcome: Partial<CallOutcome> = {}) =>
  findCallErrors({ failed: false, text, ...outcome }, readToolCalls(callOf(name, input), undefined))
const run = (command: string, text: string) => find('Bash', { command }, text)

const ERROR = "TypeError: Cannot read properties of undefined (reading 'map')"

describe('errors of a call', () => {
  test.each([
    'npm test',
    'npm test 2>&1 | tail -20',
    'npm test | grep -i error',
    'cd app && cargo build; cat Cargo.toml',
    'tail -50 server.log',
    'docker logs web',
    'gh run view 12 --log-failed',
  ])('are what a program printed: %s', (command) => {
    expect(run(command, `ok\n${ERROR}`)).toEqual([ERROR])
  })

  test('are no instructions that begin with a loud word', () => {
    const log = 'CRITICAL:root:the disk is full'
    expect(run('make', `CRITICAL: Each cell is a frame node\n${log}`)).toEqual([log])
  })

  test('are no rules of what to do in a case', () => {
    const rules = [
      '- If a property is not defined, take 0 and do not guess.',
      '2. When the file is missing: Cannot go on, ask first.',
      'Unless it says ENOENT, continue.',
    ]
    expect(run('mcp guidelines', [...rules, ERROR].join('\n'))).toEqual([ERROR])
  })

  test('are told with the case in which they happened', () => {
    const told = [
      'When fetching https://example.com/a: Error: connect ECONNREFUSED',
      'When fetching https://example.com/b: connect ECONNREFUSED',
      'If row 3, column 2 is read: TypeError: x is undefined',
    ]
    expect(run('make', told.join('\n'))).toEqual(told)
  })

  test('are what a terminal shows last of a line', () => {
    expect(run('git rebase main', `Rebasing (1/2)\rRebasing (2/2)\r${ERROR}\r\n`)).toEqual([ERROR])
  })

  test.each([
    'cat src/a.ts',
    "cd app && sed -n '1,80p' src/a.ts && git diff --stat",
    'grep -rn "Error" src | head -20',
    'git show HEAD~1 -- src/a.ts',
    'git log -p -3',
    'git -C app diff',
    'find . -name "*.ts" | xargs grep -n Error',
    'bash -lc "cat src/a.ts"',
    'for f in a b; do echo "== $f"; cat "$f"; done',
    'gh pr view 12',
    'node cli.js --help',
  ])('are nothing that was only looked at: %s', (command) => {
    expect(run(command, ERROR)).toEqual([])
  })

  test('are no fields that say there was none, and no details of npm', () => {
    expect(run('make', 'Error: (none)\nExit Code: 0')).toEqual([])
    expect(run('npm run check', 'npm error code 2\nnpm error path /work/app')).toEqual([
      'npm error code 2',
    ])
  })

  test('are no end of a wrapped line that does not say what failed', () => {
    const opening = "fatal: cannot change to '/work/a':"
    expect(run('git -C /work/a log', `${opening}\n    No such file or directory`)).toEqual([
      opening,
    ])
  })

  test('a look that failed complains itself', () => {
    const said = 'cat: src/b.ts: No such file or directory'
    expect(run('cat src/a.ts src/b.ts', `${ERROR}\n${said}`)).toEqual([said])
    expect(
      run('git diff nowhere', "fatal: ambiguous argument 'nowhere': unknown revision"),
    ).toHaveLength(1)
    expect(run('grep x y', 'zsh:1: no such file or directory: y')).toHaveLength(1)
  })

  test('a tool that reads or writes has those of a call that failed, without what it repeats', () => {
    expect(find('Read', { file_path: 'a.ts' }, `     1→// ${ERROR}`)).toEqual([])
    expect(
      find(
        'Edit',
        { file_path: 'a.ts', old_string: 'a', new_string: 'b' },
        `The file was updated.\n${ERROR}`,
      ),
    ).toEqual([])
    const refused = `Error: String to replace not found in file.\nString: x\n\n${ERROR}`
    expect(
      find('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'b' }, refused, {
        failed: true,
      }),
    ).toEqual(['Error: String to replace not found in file.'])
  })

  test('a call that the user refused has none', () => {
    expect(
      run('npm test', "The user doesn't want to proceed with this tool use.\nError: rejected"),
    ).toEqual([])
  })

  test.each([
    'src/a.ts:12:5: undefined: id',
    '--- FAIL: TestLimit (0.01s)',
    'error[E0433]: failed to resolve: use of undeclared type',
    "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    'npm error code 2',
    '2026-11-25 13:36:41 ERROR connection lost',
    '\u001b[31mError:\u001b[39m expected 3',
    'zsh:1: command not found: tsc',
    'sh: 1: tsc: not found',
    'connect ECONNREFUSED 127.0.0.1:5432',
  ])('%s', (line) => {
    expect(run('npm test', line)).toHaveLength(1)
  })

  test.each([
    '  849→ // falls back on error: none',
    'src/a.ts:12: return fmt.Errorf("error: %w", err)',
    'src/a.ts-12-  throw new TypeError("x: y")',
    '+// Error: what it returns when it fails',
    '-\tt.Fatal("expected error: none")',
    'echo -e "ERROR: file not found"',
    'obuild 0.4.40 engines undefined',
    'main handles error printing itself',
    '0 errors, 12 warnings',
    'console.error("Error: x")',
  ])('not: %s', (line) => {
    expect(run('npm test', line)).toEqual([])
  })
})
