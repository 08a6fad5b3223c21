import { describe, expect, test } from 'vitest'
import type { Action } from '../actions/tool-calls.ts'
import { hidesFailure, isCheck, isMasked, namesFailedTest } from './checks.ts'
import { findKeyLine } from './describe-call.ts'

const run = (command: string): Action => ({
  kind: 'command',
  name: 'Bash',
  command,
  paths: [],
  changes: [],
  tasks: [],
  replacesPlan: false,
})

describe('commands that verify', () => {
  test.each([
    'npm test',
    'cd app && make lint',
    'env CI=1 go test ./...',
    'npx tsc --noEmit',
    'mise run test:ci',
    'npm ci && npm test',
    'npm run ci',
    'pip install -e . -q && pytest',
    'npm run source-verify',
    './gradlew :app:test',
    'scripts/run-tests.sh --fast',
    'mise-tasks/lint/go',
    'timeout 60 bash /tmp/build.sh',
    'go run ./cmd/verify',
    'npx tsx scripts/check-docs.ts',
    'npx prettier --check docs/a.md',
    'node --import=tsx --test test/*.ts',
    'ssh -i ~/.ssh/key host "cd app && npm test"',
    "bash -lc 'npm test'",
    'timeout -k 5 60 ./run-tests.sh',
    'sudo -E ./build.sh',
    './server & ./test.sh',
    'bash -lc "timeout 60 ./test.sh"',
    'python3 -m unittest',
    'python3.12 tests/run.py',
    'node -r ./setup.js test/run.js',
    'npx ts-node test/a.ts',
    'bats tests/a.bats',
    'Rscript -e "devtools::test()"',
    'isort --check-only .',
    'terraform fmt -check',
    'earthly +test',
    'powershell.exe -NoProfile -ExecutionPolicy Bypass -File build.ps1',
    'pwsh -NoProfile -Command "dotnet test"',
    '& ".\\build.ps1" -Config Debug',
  ])('%j is a check', (command) => {
    expect(isCheck(run(command))).toBe(true)
  })

  test.each([
    'ls tests',
    'capture source-verify',
    'gofmt -w a_test.go',
    'ssh -i ~/.ssh/ci-key host "ls /opt"',
    'env GOCACHE=/tmp/go-build go list ./...',
    '/tmp/app-test/app init --config /tmp/app-test/a.json',
    'docker exec -it app-test bash',
    'node build/index.js',
    'command -v golangci-lint',
    'tracker close 5 --reason "Merged with green CI && lint"',
    'test -f .env && cat .env',
    'git log -- test',
    'cat build/out.txt | head',
    'gh pr create --title "Fix the build"',
    'node a.js',
    'node -e "console.log(build)"',
    'npm ci',
    'npm install -D vitest @types/node',
    'pip install respx pytest-asyncio 2>&1 | tail -5',
    'uv pip install pytest',
    'sudo apt-get -y install build-essential',
    'go get github.com/stretchr/testify/test',
    "sed -i '' '/undefined,$/d' test/a.test.ts",
    "awk '/new Store/{print NR}' test/a.test.ts | head",
    "cat > /tmp/fix.py <<'E'\nwith open('test/a.test.ts') as f:\n    run()\nE\npython3 /tmp/fix.py",
  ])('%j is none', (command) => {
    expect(isCheck(run(command))).toBe(false)
  })

  test('a pipe and a last word that always succeeds hide how a command ended', () => {
    for (const command of ['npm test 2>&1 | tail -5', 'make || true', 'make; echo done'])
      expect(isMasked(command)).toBe(true)
    for (const command of ['npm test', 'set -o pipefail; make | tail', 'a | b && make'])
      expect(isMasked(command)).toBe(false)
  })

  test('a check that hides how it ended failed when its output says so', () => {
    const hides = (command: string, text: string) =>
      hidesFailure(run(command), { failed: false, exitCode: 0, text })
    expect(hides('go test ./... | tail -5', '--- FAIL: TestLimit (0.00s)')).toBe(true)
    expect(hides('npx vitest run | tail -5', 'Tests  2 failed | 9 passed')).toBe(true)
    expect(hides('npx tsc | head', "a.ts(3,1): error TS2304: Cannot find name 'x'.")).toBe(true)
    expect(hides('go test ./... | tail -5', 'FAIL\texample.com/a [build failed]')).toBe(true)
    expect(hides('go test ./... | tail -5', 'ok  pkg/a 0.1s\n0 failed\nFAIL: 0')).toBe(false)
    expect(hides('go test ./...', '--- FAIL: TestLimit (0.00s)')).toBe(false)
    expect(hides('cat log.txt | tail -5', '2 failed')).toBe(false)
  })

  test('a line about an error is the title of tests only if tests stand below it or all passed', () => {
    const hides = (lines: readonly string[]) =>
      hidesFailure(run('npm test | tail -5'), {
        failed: false,
        exitCode: 0,
        text: lines.join('\n'),
      })
    const refused = '  Error connecting to database'
    for (const lines of [
      [refused],
      ['PASS a.test.js', '  Cart', '    ✓ adds', refused, '', '  Cart again'],
      [refused, '      at connect (db.js:12:3)'],
      ['Error connecting to database', '3 passed'],
      ['  Error: refused', '    ✓ throws'],
    ])
      expect(hides(lines)).toBe(true)
    for (const lines of [
      ['PASS a.test.js', '  Error handling', '    ✓ throws'],
      ['Error Handling', ' ✔ Throws'],
      ['  Error handling', '    of requests', '', '      ok 1 - throws'],
      ['Cart', '  error handling', '    throws', '', '2 examples, 0 failures'],
      ['  Error connecting to database', '  12 passing (3s)'],
      ['error handling ... ok (2ms)'],
    ])
      expect(hides(lines)).toBe(false)
  })

  test('the names of failed tests are known by their marks', () => {
    const lines = [
      'FAILED tests/a.py::test_b - assert 1',
      '× keeps the limit',
      'test a::b ... FAILED',
      'not ok 3 - limit',
    ]
    for (const line of [...lines, ' FAIL  src/a.test.ts > cache > keeps the limit'.trim()])
      expect(namesFailedTest(line)).toBe(true)
    for (const line of ['FAIL', 'ok 3 - limit', 'test a::b ... ok'])
      expect(namesFailedTest(line)).toBe(false)
  })
})

describe('the line that mattered', () => {
  const keyOf = (command: string, lines: string[], failed = false) =>
    findKeyLine({ type: 'call', action: run(command), outcome: { failed, text: lines.join('\n') } })

  test('of a failure it is the test that failed, then what reports it, never a count of none', () => {
    const lines = [
      'Error: connection refused (expected)',
      '--- FAIL: TestLimit (0.00s)',
      '    store_test.go:41: got 5',
    ]
    expect(keyOf('go test ./...', lines, true)).toBe('--- FAIL: TestLimit (0.00s)')
    expect(keyOf('make', ['checking', 'Error: no rule'], true)).toBe('Error: no rule')
    expect(keyOf('make lint', ['lint:go 0 issues.', 'stopped'], true)).toBeUndefined()
  })

  test('of a success it is what was made, then what sums it up, never progress', () => {
    const commit = [
      '12 files checked',
      '[main 1a2b3c4] Add it',
      ' 3 files changed, 9 insertions(+)',
    ]
    expect(keyOf('git commit -m "Add it"', commit)).toBe('[main 1a2b3c4] Add it')
    expect(keyOf('git push', ['To host:a/b', '   1a2b3c4..5d6e7f8  main -> main'])).toContain(
      '1a2b3c4..5d6e7f8',
    )
    expect(keyOf('npm test', ['Tests: 41 passed', 'Time: 3 s', 'Done in 3.14s.'])).toBe(
      'Tests: 41 passed',
    )
    expect(
      keyOf('git clone x', ['Cloning into x', 'Receiving objects: 45% (9/20)']),
    ).toBeUndefined()
  })

  test('a few short lines with numbers are told whole, others not at all', () => {
    expect(keyOf('wc -c dist/*', ['  812 dist/a.js', ' 1204 dist/b.js'])).toBe(
      '812 dist/a.js · 1204 dist/b.js',
    )
    expect(keyOf('node probe.js', ['first', 'second'])).toBeUndefined()
    expect(keyOf('node probe.js', ['first 1', 'second 2', 'third 3', 'fourth 4'])).toBeUndefined()
  })

  test('one package of many is no outcome, the only one is, and so is their number behind a pipe', () => {
    const many = ['ok  pkg/a 0.1s', 'ok  pkg/b 0.1s']
    expect(keyOf('go test ./...', many)).toBeUndefined()
    expect(keyOf('go test ./... | tail', many)).toBe('ok (2 packages)')
    expect(keyOf('go test ./a', ['=== RUN TestA', 'ok  pkg/a 0.1s'])).toBe('ok  pkg/a 0.1s')
  })
})
