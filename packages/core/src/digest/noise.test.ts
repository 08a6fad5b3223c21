import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { dropOverwritten, isFragment, isNoise, isProgress } from './noise.ts'

describe('lines that tell nothing', () => {
  test.each([
    'Receiving objects:  45% (9/20), 1.20 MiB | 800.00 KiB/s',
    'remote: Counting objects: 20, done.',
    'Total 9 (delta 2), reused 0 (delta 0), pack-reused 0',
    '[ 12%] Building CXX object src/a.o',
    ' 45%|████▌     | 9/20 [00:03<00:04]',
    '⠹ Resolving dependencies',
    '[=====>    ] 3/9',
    'Downloading torch-2.1.0.whl (670 MB)',
    'Done in 3.14s.',
    'real\t0m1.204s',
    'Duration  1.20s',
  ])('%j is progress or timing', (line) => {
    expect(isProgress(line)).toBe(true)
    expect(isNoise(line)).toBe(true)
  })

  test.each([
    'Coverage: 87% of statements',
    '41 passed, 2 failed in 3.14s',
    'Total: 12 errors',
    'All files | 91.2 | 80',
    'Installing the hook failed: permission denied',
    '[main 1a2b3c4] Add the limit',
  ])('%j is an outcome', (line) => {
    expect(isProgress(line)).toBe(false)
  })

  test.each([
    '[sync 60 ms] basic rc=0 failed:',
    'exit code: 0',
    'return valueHint;',
    '-rw-r--r--@  1 soph  staff   722 Jan  6 19:06 session_test.go',
    'example.com/x v1.2.0/go.mod h1:2eXP6Qfat4O=',
    'console.error(error);',
    'if (numberLikeRe.test(value)) {',
    '✓ test/args.test.ts (26 tests) 21ms',
    'RUN  v4.1.12 /app',
    'return (',
    '--- PASS: TestLimit (0.00s)',
    'ok  example.com/store  0.3s',
  ])('%j is a bare statement or the frame of a test runner', (line) => {
    expect(isNoise(line)).toBe(true)
  })

  test.each([
    'needSave = true',
    'checkpointID = cpID',
    'Prompts: allPrompts,',
    'DropdownLabel,',
    'setTimeout(',
    'await queue.addAll([',
    'useEffect(() => {',
    'if rootErr == nil {',
    'return nameI, nameJ',
    '} catch (error) {',
    'except ValueError as error:',
    'rescue StandardError => error',
    'finally:',
    '* waits for all tasks to complete',
    '// Wait for all tasks to complete',
    'return fmt.Errorf("cannot read: %w", err)',
    "throw new Error('Task failed');",
  ])('%j is a part of something', (line) => {
    expect(isFragment(line)).toBe(true)
  })

  test.each([
    'const limit = 250',
    '* main',
    'ensure that both servers run before the tests start',
    'finally the window was reset by hand',
    'except on Windows, where the file stays locked',
    'state.limit = readLimit(settings)',
    '"port": "8080",',
    '// The window is reset in `onInterval`.',
    'func readLimit(path string) error {',
    'if err := readLimit(path); err != nil {',
    'queue.setPriority(task, 10);',
  ])('%j may stand alone', (line) => {
    expect(isFragment(line)).toBe(false)
  })

  test.each([
    "return readField(input, 'name')",
    'export function sendRequest(url: string) {',
    'const limit = readLimit(settings)',
    '--- FAIL: TestLimit (0.01s)',
  ])('%j tells something', (line) => {
    expect(isNoise(line)).toBe(false)
  })

  test('of a line that was written over only the last state is left', () => {
    expect(dropOverwritten('a\r\nReceiving: 1%\rReceiving: 99%\rdone\nb\r')).toBe('a\r\ndone\nb\r')
    expect(dropOverwritten('plain\ntext')).toBe('plain\ntext')
  })

  test('looks at each character once or twice', { tags: 'slow' }, async () => {
    const text = (times: number) => '[====\r 9% ⠹ '.repeat(times)
    await expectLinearGrowth(
      text,
      (one) => isNoise(dropOverwritten(`${one}\n${one}x`)) || isFragment(one),
      200_000,
    )
    const frame = (times: number) => `${'='.repeat(times)} ab|`
    await expectLinearGrowth(frame, isNoise, 2_000)
  })
})
