import { describe, expect, test } from 'vitest'
import type { ToolResultPart } from '../conversation/message.ts'
import { readOutcome } from './outcome.ts'

const resultOf = (text: string, isError = false): ToolResultPart => ({
  type: 'tool-result',
  callId: 'c',
  output: [{ type: 'text', text }],
  isError,
})

describe('readOutcome', () => {
  test('plain output has not failed and has no exit code', () => {
    expect(readOutcome(resultOf('exited with style'))).toEqual({ failed: false, text: 'exited with style' })
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

  test('an error of Claude Code tells its exit code', () => {
    expect(readOutcome(resultOf('Exit code 1\nno such test', true))).toMatchObject({ failed: true, exitCode: 1 })
  })

  test('reminders of the host are no output', () => {
    expect(readOutcome(resultOf('a<system-reminder>do this</system-reminder>b')).text).toBe('ab')
    expect(readOutcome(resultOf('a<system-reminder>unclosed')).text).toBe('a<system-reminder>unclosed')
  })
})
