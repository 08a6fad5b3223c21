import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { isTemporary, readShellChanges, settleChanges } from './shell-changes.ts'

/** `created a.ts: line|line` */
const changesOf = (command: string, directory?: string) =>
  readShellChanges(command, directory).map(
    ({ path, type, added }) => `${type} ${path}${added.length > 0 ? `: ${added.join('|')}` : ''}`,
  )

describe('readShellChanges', () => {
  test.each(['if ', 'cd a;', '(cd a;'])(
    'a long run of %j takes time that grows with its length',
    { tags: 'slow' },
    async (piece) => {
      const make = (size: number) => `rm x; ${piece.repeat(size)} rm y`
      await expectLinearGrowth(make, (command) => readShellChanges(command), 4_000)
    },
  )

  test.each([
    ["sed -i 's/a/b/' src/a.ts src/b.ts", ['edited src/a.ts', 'edited src/b.ts']],
    ["sed -i '' -e 's/a > b/c/' -e 's/d/e/' a.ts", ['edited a.ts']],
    ["sed -i.bak -E 's/(a)/b/' a.ts", ['edited a.ts']],
    ["sed -n '1,20p' a.ts", []],
    ["perl -0pi -e 's/a/b/g' a.ts", ['edited a.ts']],
    ["perl -ne 'print if /a/' a.ts", []],
    ['echo "hello world" > notes.md', ['created notes.md: hello world']],
    ["printf '%s\\n' one two >> notes.md", ['edited notes.md: one|two']],
    ['npm test > out.json 2>&1', ['created out.json']],
    ['npm test > /tmp/out.txt 2> errors.txt; make &> build.log; ls 2>/dev/null >&2', []],
    ['npm test | tee -a report.md', ['edited report.md']],
    ['mv a.ts src/b.ts', ['deleted a.ts', 'created src/b.ts']],
    ['mv a.ts b.ts src/', ['deleted a.ts', 'created src/a.ts', 'deleted b.ts', 'created src/b.ts']],
    ['cp a.ts src && cp -r src lib', ['created src/a.ts']],
    ['rm -rf dist *.tmp "$HOME/x" a.ts', ['deleted dist', 'deleted a.ts']],
    ['git mv a.ts b.ts && git rm -q c.ts', ['deleted a.ts', 'created b.ts', 'deleted c.ts']],
    ['git -C pkg checkout HEAD~1 -- a.ts; git checkout main', ['edited pkg/a.ts']],
    [
      'git checkout -q -- a.ts b.ts; git restore c.ts',
      ['restored a.ts', 'restored b.ts', 'restored c.ts'],
    ],
    [
      'git restore --source=HEAD~1 a.ts && git restore --staged b.ts && git rm --cached c.ts',
      ['edited a.ts'],
    ],
    ['cd src && FOO=1 sudo sed -i s/a/b/ a.ts', ['edited src/a.ts']],
    [
      '(cd src && rm a.ts); rm b.ts; cd "$X"; rm c.ts /w/d.ts',
      ['deleted src/a.ts', 'deleted b.ts', 'deleted /w/d.ts'],
    ],
    [`bash -lc "cd src && rm a.ts"`, ['deleted src/a.ts']],
    [
      'cat > "my notes.md" <<\'EOF\'\nrm a.ts\n$x > y\nEOF\nrm b.ts',
      ['created my notes.md: rm a.ts|$x > y', 'deleted b.ts'],
    ],
    ['cat <<-END | tee a.md >/dev/null\n\tone\n\tEND', ['created a.md: one']],
    ['patch -p1 <<X\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\nX', ['edited a.ts: b']],
    ['test -f a.ts || rm b.ts', []],
    [
      'make || { echo no; rm a.ts; }; rm b.ts; make || (rm c.ts; exit 1); { rm d.ts; }',
      ['deleted b.ts', 'deleted d.ts'],
    ],
    ['if [ -f a ]; then rm a.ts; else rm b.ts; fi; rm c.ts', ['deleted c.ts']],
    ['[[ $a > b ]] && echo "sed -i s/a/b/ c.ts" # rm d.ts', []],
    ["python3 - <<'EOF'\nopen('a.ts', 'w')\nx > y\nEOF", []],
    ["git commit -m \"$(cat <<'EOF'\ndon't rm a.ts (yet\nEOF\n)\" && rm b.ts", ['deleted b.ts']],
    ['find . -name "*.ts" -exec sed -i s/a/b/ {} \\; ; grep "a > b" c.ts | wc -l', []],
    ['diff <(sort a.ts) <(sort b.ts) > both.diff', ['created both.diff']],
  ])('%s', (command, expected) => {
    expect(changesOf(command)).toEqual(expected)
  })

  test('paths are those of the directory that the command runs in', () => {
    expect(changesOf('rm a.ts /w/b.ts', '/w/src')).toEqual([
      'deleted /w/src/a.ts',
      'deleted /w/b.ts',
    ])
  })

  const pieces = [
    'rm ',
    'a.ts',
    '>',
    '>>',
    '<<',
    '<<<',
    'EOF',
    '\n',
    '"',
    "'",
    '`',
    '$(',
    '${',
    ')',
    '(',
    '\\',
    '#',
    ';',
    '||',
  ]

  test('takes anything, and names nothing that the command does not', () => {
    const scripts = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 40 })
    fc.assert(
      fc.property(scripts, (parts) => {
        const script = `${parts.join('')}\nsed -i s/a/b/ x.ts`
        const length = readShellChanges(script).reduce(
          (sum, { path, added }) => sum + path.length + added.join('').length,
          0,
        )
        expect(length).toBeLessThanOrEqual(script.length)
      }),
    )
  })

  test.each(pieces)('%j without end is passed', (piece) => {
    expect(changesOf(`rm a.ts; ${piece.repeat(50_000)}`)[0]).toBe('deleted a.ts')
  })
})

describe('settleChanges', () => {
  const settle = (command: string, text: string, failed = false) =>
    settleChanges({ command, changes: readShellChanges(command) }, { failed, text }).map(
      ({ path }) => path,
    )

  test('a command that failed changed nothing', () => {
    expect(settle('rm a.ts', '')).toEqual(['a.ts'])
    expect(settle('rm a.ts', 'rm: a.ts: No such file', true)).toEqual([])
  })

  test.each([
    ['gofmt -l -w .', 'a.go\ninternal/b.go\n', ['a.go', 'internal/b.go']],
    ['gofmt -l .', 'a.go\n', []],
    ['npx prettier --write src', 'src/a.ts 35ms\nsrc/b.ts 3ms (unchanged)\n', ['src/a.ts']],
    ['npm run format', '> prettier --write .\n\nsrc/a.ts 35ms', ['src/a.ts']],
    [
      'python -m black .',
      'reformatted /w/a.py\nAll done!\n1 file reformatted, 2 files left unchanged.',
      ['/w/a.py'],
    ],
    ['uv run ruff format src/a.py', '1 file reformatted', ['src/a.py']],
    [
      'uv run ruff format --check src/a.py',
      'Would reformat: src/a.py\n1 file would be reformatted',
      [],
    ],
    ['npx biome check --write src/a.ts', 'Checked 1 file in 5ms. Fixed 1 file.', ['src/a.ts']],
    ['npx biome check src/a.ts', 'Checked 1 file in 5ms. No fixes applied.', []],
    [
      'git stash pop',
      'Changes not staged for commit:\n\tmodified:   src/a.ts\n\nDropped refs/stash@{0}',
      ['src/a.ts'],
    ],
    ['git stash list', '\tmodified:   src/a.ts', []],
    [
      'patch -p1 < fix.diff',
      "patching file src/a.ts\npatching file 'my b.ts'",
      ['src/a.ts', 'my b.ts'],
    ],
  ])('%s', (command, text, expected) => {
    expect(settle(command, text)).toEqual(expected)
  })
})

test.each([
  ['/tmp/a.ts', true],
  ['C:/Users/x/AppData/Local/Temp/claude/a.md', true],
  ['/c/Users/x/AppData/Local/Temp/a.md', true],
  ['/home/x/AppData/a.md', false],
  ['src/tmp/a.ts', false],
])('%s is in a folder for temporary files: %s', (path, isSo) => {
  expect(isTemporary(path)).toBe(isSo)
})
