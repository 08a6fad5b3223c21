import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { person } from '../conversation/histories.suite.ts'
import { isDeclaration, isStatement, namesLimitOrTest } from './declaration.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

describe('lines of code', () => {
  test.each([
    'export const limit = 250',
    'const limit = 250',
    'export default class Queue {',
    '\tasync addAll<TaskResultsType>(',
    '  get stats() {',
    '\t#onInterval(): void {',
    '  readonly timeout?: number;',
    '\tName string `json:"name"`',
    'func (s *Store) Save(id string) error {',
    '    def test_limit(self):',
    'pub(crate) fn read(path: &Path) -> Result<()> {',
    "test('an empty queue is idle', async () => {",
    '\tt.Run("empty", func(t *testing.T) {',
  ])('%j declares a name', (line) => {
    expect(isDeclaration(line)).toBe(true)
  })

  test.each([
    '  const args = resolveArgs(argsDef);',
    '\tstagedFiles := getStagedFiles(repo)',
    '\tassert.deepEqual(events, ["rateLimit"]);',
    '  interval: 60 * 1000,',
    '  version: "1.0.0",',
    '\tawait queue.onIdle();',
  ])('%j is a statement', (line) => {
    expect(isDeclaration(line)).toBe(false)
    expect(isStatement(line.trim())).toBe(true)
  })

  test.each([
    ['const timeoutMs = 30_000', true],
    ['sessionGracePeriod = 10 * time.Minute', true],
    ['export const LONGEST_LINE: number = 400;', true],
    ['"port": 8443,', true],
    ['const MASK = 1 << 16 // one for each slot', true],
    ['func TestLimit_IsKept(t *testing.T) {', true],
    ['def test_limit_is_kept(self):', true],
    ["test('the limit is kept', () => {", true],
    ['let count = 0', false],
    ['CheckpointCount: 1,', false],
    ['index := 25', false],
    ['const name = 7 + offset(3)', false],
    ['if (size === 40) {', false],
    ['func testing() {', false],
  ])('%j names a limit or a test: %j', (line, names) => {
    expect(namesLimitOrTest(line)).toBe(names)
  })

  test('of a long file that was written, limits and tests stand by their names', async () => {
    const steps = Array.from(
      { length: 60 },
      (_, at) => `  queue.push(entry${at}, retry(entry${at}))`,
    )
    const written = [
      ...steps.slice(0, 30),
      'export const gracePeriodMs = 600_000',
      "test('an empty queue is drained at once', () => {",
      ...steps.slice(30),
    ]
    const text = await digestOf(
      [
        person('Write the queue.'),
        ...step('Write', { file_path: 'src/queue.ts', content: written.join('\n') }, 'ok'),
      ],
      { targetTokens: 300 },
    )
    expect(text).toContain('\texport const gracePeriodMs = 600_000')
    expect(text).toContain("\ttest('an empty queue is drained at once', () => {")
    expect(text).not.toContain(steps[40]!.trim())
  })

  test('of files that were read long ago, declarations stand and statements do not', async () => {
    const files = Array.from({ length: 40 }, (_, at) =>
      step(
        'Read',
        { file_path: `src/part${at}.ts` },
        [
          `1→export function readPart${at}(source: Source${at}) {`,
          `2→  const stored${at} = loadStored(source.path${at});`,
          `3→  checkStored(stored${at}, 'part-${at}');`,
          `4→  // The window of part${at} is reset here.`,
        ].join('\n'),
      ),
    )
    const text = await digestOf([person('Look around.'), ...files.flat()], { targetTokens: 6_000 })
    const lines = sectionOf(text, /Files read/).join('\n')
    for (const part of ['function readPart3(', 'function readPart39(', 'window of part3 '])
      expect(lines).toContain(part)
    expect(lines).toContain('const stored39 = ')
    expect(lines).not.toContain('const stored3 = ')
    expect(lines).not.toContain("checkStored(stored3, 'part-3')")
  })

  test('looks at each character once or twice', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (times) => ['static ', 'a.', 'a(', 'a<', ' '].map((piece) => piece.repeat(times)),
      (lines) =>
        lines.map((line) => isDeclaration(line) || isStatement(line) || namesLimitOrTest(line)),
      50_000,
    )
  })
})
