import { describe, expect, test } from 'vitest'
import type { ToolCallPart, ToolResultPart } from '../conversation/message.ts'
import { hasFailed, readOutcome, readOutcomes } from './outcome.ts'

const resultOf = (text: string, isError = false): ToolResultPart => resultIn([text], isError)

const resultIn = (texts: readonly string[], isError = false): ToolResultPart => ({
  type: 'tool-result',
  callId: 'c',
  output: texts.map((text) => ({ type: 'text', text })),
  isError,
})

describe('readOutcome', () => {
  test('plain output has not failed and has no exit code', () => {
    expect(readOutcome(resultOf('exited with style'))).toEqual({
      failed: false,
      text: 'exited with style',
    })
  })

  test('the frame of Codex gives the exit code and goes', () => {
    const framed = 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom'
    expect(readOutcome(resultOf(framed))).toEqual({ failed: true, exitCode: 2, text: 'boom' })
  })

  test('so does its older wrapping', () => {
    const wrapped = '{"output":"boom\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}'
    expect(readOutcome(resultOf(wrapped))).toEqual({ failed: true, exitCode: 1, text: 'boom\n' })
    expect(readOutcome(resultOf('{"output": 7}')).text).toBe('{"output": 7}')
    expect(readOutcome(resultOf('{"output":')).text).toBe('{"output":')
  })

  test.each([
    [
      'all lines',
      'Command: make test\nDirectory: (root)\nOutput: 3 failed\nExit Code: 0 was expected\nError: (none)\nExit Code: 2\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 26593',
      { failed: true, exitCode: 2, text: '3 failed\nExit Code: 0 was expected' },
    ],
    [
      'all lines of a command that did well',
      'Command: cat <<X\nOutput: no\nX\nDirectory: /w\nOutput: yes\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 1',
      { failed: false, exitCode: 0, text: 'yes' },
    ],
    [
      'lines that say something',
      'Output: a\nb\nExit Code: 127\nProcess Group PGID: 7',
      { failed: true, exitCode: 127, text: 'a\nb' },
    ],
    [
      'no line about its end',
      'Output: (empty)\nProcess Group PGID: 7',
      { failed: false, exitCode: 0, text: '' },
    ],
    [
      'a signal',
      'Directory: (root)\nOutput: a\nError: killed\nExit Code: (none)\nSignal: 9',
      { failed: true, exitCode: undefined, text: 'a\nError: killed' },
    ],
  ])(
    'the lines of Gemini CLI around an output give the exit code and go: %s',
    (_, text, outcome) => {
      expect(readOutcome(resultOf(text))).toEqual(outcome)
    },
  )

  test('a text that only begins like one of its outputs is whole', () => {
    for (const text of ['Output: a\nb\n', 'Output: ', 'Exit Code: 1\nSignal: 2 is\nmore'])
      expect(readOutcome(resultOf(text)).text).toBe(text)
  })

  test('an error of Claude Code tells its exit code', () => {
    expect(readOutcome(resultOf('Exit code 1\nno such test', true))).toMatchObject({
      failed: true,
      exitCode: 1,
    })
  })

  test('reminders of the host are no output', () => {
    expect(readOutcome(resultOf('a<system-reminder>do this</system-reminder>b')).text).toBe('ab')
    expect(readOutcome(resultOf('a<system-reminder>unclosed')).text).toBe(
      'a<system-reminder>unclosed',
    )
  })
})

const HEAD = 'Script completed\nWall time 0.2 seconds\nOutput:\n'
const command = { kind: 'command', command: 'x' } as const
const joint = { ...command, isJoint: true }
const patch = { kind: 'write', isJoint: true } as const

describe('of a script', () => {
  test('the frame goes, and an exit code counts where the script prints all of the result', () => {
    expect(readOutcome(resultIn([HEAD, 'exit status 1\n']), command)).toEqual({
      failed: false,
      text: 'exit status 1\n',
    })
    const whole = '{"chunk_id":"1","exit_code":2,"output":"boom"}'
    expect(readOutcome(resultOf(HEAD + whole), command)).toEqual({
      failed: true,
      exitCode: 2,
      text: 'boom',
    })
    expect(
      readOutcome(resultOf(`${HEAD}\nExit code: 3\nWall time: 1 s\nOutput:\nno`), command),
    ).toMatchObject({
      exitCode: 3,
      text: 'no',
    })
  })

  test('an exit code that may be that of another action is not told', () => {
    const outcome = readOutcome(resultOf(`${HEAD}{"exit_code":2,"output":"boom"}`), joint)
    expect(outcome).toMatchObject({ failed: false })
    expect(outcome.exitCode).toBeUndefined()
  })

  test('one that goes on has a session, and so has a command that does', () => {
    expect(
      readOutcome(
        resultOf('Script running with cell ID 7\nWall time 9 seconds\nOutput:\n'),
        command,
      ).session,
    ).toBe('7')
    expect(readOutcome(resultOf(`${HEAD}{"session_id":12,"output":"…"}`), command).session).toBe(
      '12',
    )
    expect(
      readOutcome(resultOf('Process running with session ID 12\nOutput:\n'), command).session,
    ).toBe('12')
  })

  test.each([
    ['2 failed\n<shellId: 0 completed with exit code 1>', '2 failed'],
    ['a\nb\nc\n<exited with exit code 1>', 'a\nb\nc'],
    ['c\n<command with id: slow-one exited with exit code 1>\n', 'c'],
    ['<shellId: 0 completed with exit code 1>', ''],
  ])('GitHub Copilot CLI tells the exit code behind the output: %j', (text, output) => {
    const outcome = { failed: true, exitCode: 1, text: output }
    expect(readOutcome(resultOf(text), command)).toEqual(outcome)
    const passed = text.replace('code 1', 'code 0')
    expect(readOutcome(resultOf(passed), command)).toMatchObject({ failed: false, exitCode: 0 })
  })

  test('GitHub Copilot CLI tells behind long output that the command goes on', () => {
    const text = `${'line\n'.repeat(900)}<command with shellId: slow-one is still running after 30 seconds. Use read_bash to continue waiting.>`
    expect(readOutcome(resultOf(text), command).session).toBe('slow-one')
    const refused = '<command with shellId: slow-one is already running, wait for output>'
    expect(readOutcome(resultOf(refused), command).session).toBeUndefined()
  })

  test('an exit code outside of the output counts where the output has none', () => {
    const result = { ...resultOf('2 failed'), exitCode: 1 }
    const outcome = { failed: true, exitCode: 1, text: '2 failed' }
    expect(readOutcome(result, command)).toMatchObject(outcome)
    expect(readOutcome({ ...result, exitCode: 0 }, command)).toMatchObject({ failed: false })
    expect(readOutcomes(result, [command, patch])[0]).toMatchObject(outcome)
  })

  test("what is printed for every action is told apart, else it is the last one's that is no write", () => {
    expect(
      readOutcomes(resultIn([HEAD, 'a', '{"exit_code":1,"output":"b"}']), [joint, joint]),
    ).toEqual([
      { failed: false, text: 'a' },
      { failed: true, exitCode: 1, text: 'b' },
    ])
    const texts = readOutcomes(resultIn([HEAD, 'a and b']), [joint, joint, patch]).map(
      ({ text }) => text,
    )
    expect(texts).toEqual(['', 'a and b', ''])
  })

  test('a result with one piece for each command of a list tells how each of them ended', () => {
    const pieces = ['fine\n', '[Command exited with code 2]\nno', 'exit code 3 is bad']
    const read = { kind: 'read', isJoint: true } as const
    expect(readOutcomes(resultIn(pieces), [joint, joint, read])).toEqual([
      { failed: false, text: 'fine\n' },
      { failed: true, exitCode: 2, text: '[Command exited with code 2]\nno' },
      { failed: false, text: 'exit code 3 is bad' },
    ])
  })

  test('of a patch that was refused only the patch failed', () => {
    const refusal =
      'Script failed\nOutput:\n\nScript error:\napply_patch verification failed: no such lines'
    const failed = readOutcomes(resultOf(refusal), [joint, patch]).map((outcome) => outcome.failed)
    expect(failed).toEqual([false, true])
    const all = readOutcomes(resultOf('Script failed\nOutput:\nScript error:\nSyntaxError'), [
      joint,
      patch,
    ])
    expect(all.every((outcome) => outcome.failed)).toBe(true)
  })
})

describe('hasFailed', () => {
  const commandOf = (command: string): ToolCallPart => ({
    type: 'tool-call',
    callId: 'c',
    name: 'bash',
    input: { command },
  })

  test.each([
    ['npm test', 0, false],
    ['npm test', 1, true],
    ['grep -rn TODO src', 1, false],
    ['grep -rn TODO src', 2, true],
  ])(
    '`%s` that ended with %i has failed, without a mark of the host: %j',
    (command, exitCode, failed) => {
      expect(hasFailed({ ...resultOf(''), exitCode }, commandOf(command))).toBe(failed)
    },
  )

  test('a search that the host marks has failed, unless it ended with 1', () => {
    const search = commandOf('rg TODO src')
    expect(hasFailed(resultOf('Path does not exist: src', true), search)).toBe(true)
    expect(hasFailed(resultOf('Exit code 1', true), search)).toBe(false)
  })

  test.each(['Command exited with code 1', '(no output)\n\nCommand exited with code 1'])(
    'a search that found nothing in pi has not failed: %j',
    (text) => {
      expect(hasFailed(resultOf(text, true), commandOf('grep -rn TODO src'))).toBe(false)
      expect(hasFailed(resultOf(text, true), commandOf('npm test'))).toBe(true)
    },
  )

  test('the exit code that pi adds is no output', () => {
    const { exitCode, text } = readOutcome(
      resultOf('3 failed\n\n\nCommand exited with code 2', true),
    )
    expect([exitCode, text]).toEqual([2, '3 failed\n'])
  })

  test('a result without its call has failed by its exit code', () => {
    expect(hasFailed({ ...resultOf(''), exitCode: 1 }, undefined)).toBe(true)
  })
})
