import { describe, expect, test } from 'vitest'
import { covers, readChecks } from './read-checks.ts'

const textsOf = (command: string) => readChecks(command, '/app/').map(({ text }) => text)
const makesUp = (passed: string, failed: string) =>
  covers(readChecks(passed)[0]!, readChecks(failed)[0]!)

describe('the checks of a command', () => {
  test.each([
    [
      'mise run fmt && mise run lint && mise run test 2>&1 | tail -20',
      ['mise run lint', 'mise run test'],
    ],
    ['cd /app && npm test', ['npm test']],
    ['cd packages/tui && npm run build 2>&1 | tail -3', ['cd packages/tui && npm run build']],
    ['env CI=1 GOCACHE=/tmp/x go test ./... > out.txt', ['go test ./...']],
    ['npm test; npm test', ['npm test']],
    ['git commit -m "Fix the build"', []],
    ['for i in *.idx; do if git verify-pack -v "$i" | grep x; then echo "check $i"; fi; done', []],
    [
      "git commit -m 'Fix it\n\n- Run all tests\n2. Build it\nTo test if it works:\nCI\\'s lint is quiet'\nnpm run lint",
      ['npm run lint'],
    ],
    ['for n in 1 2; do npm test; done', ['npm test']],
    [
      `npm run build && node -e '\nconst page = read("build/index.html")\ncheck(page)\n' && npm test`,
      ['npm run build', 'npm test'],
    ],
    ['python3 -c "\nbuild = 1\ntest it \\"now\\"\n"', []],
    ['node --test -e "1" && node --test', ['node --test -e', 'node --test']],
    [
      "cat > a.test.ts <<'E'\ntest the build\nE\nnpx vitest run a.test.ts",
      ['npx vitest run a.test.ts'],
    ],
  ])('%j has %j', (command, checks) => {
    expect(textsOf(command)).toEqual(checks)
  })
})

describe('a check that passed makes up for one that failed', () => {
  test.each([
    ['go test ./...', 'go build ./...'],
    ['go vet ./...', 'go build ./cmd/app'],
    ['go test ./... -run TestLimit', 'go build ./...'],
    ['mise run test', 'go build ./...'],
    ['npm test', 'npx tsc --noEmit'],
    ['go test ./cmd/...', 'go test -v ./cmd/app'],
    ['go test ./... -v | tail -3', 'go test ./... 2>&1'],
    ['npm test', 'cd packages/app && npm test -- limit.test.ts'],
    ['npm run test', 'npm run test:unit'],
    ['make check', 'make lint'],
  ])('%j for %j', (passed, failed) => {
    expect(makesUp(passed, failed)).toBe(true)
  })

  test.each([
    ['go build ./...', 'go test ./...'],
    ['go test ./pkg', 'go test ./...'],
    ['go test ./pkg', 'go test ./pkgs'],
    ['go test ./... -run TestLimit', 'go test ./...'],
    ['npm test', 'go build ./...'],
    ['npm test', 'npm run lint'],
    ['cd packages/a && npm test', 'cd packages/b && npm test'],
    ['npm run test:unit', 'npm run test:e2e'],
    ['npx vitest run src/a.test.ts', 'npm test'],
  ])('%j not for %j', (passed, failed) => {
    expect(makesUp(passed, failed)).toBe(false)
  })

  test('a text that is fed in the line hides no line after it', () => {
    const checks = readChecks('grep x <<< hello\nnpm test')
    expect(checks.map(({ text }) => text)).toEqual(['npm test'])
  })
})
