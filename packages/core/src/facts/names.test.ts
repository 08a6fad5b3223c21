import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { createPathCheck, scanNames } from './names.ts'

function scan(text: string): string[] {
  const found: string[] = []
  scanNames(text, '/work/app', (kind, name) => found.push(`${kind} ${name}`))
  return found
}

describe('scanNames', () => {
  test.each([
    ['\u001b[32m.git/hooks/pre-push\u001b[0m', 'path .git/hooks/pre-push'],
    ['32m.git/hooks/pre-push', 'path .git/hooks/pre-push'],
    ['import "github.com/spf13/cobra/doc"', 'identifier github.com/spf13/cobra/doc'],
    ['create refs/heads/release-1.9', 'identifier refs/heads/release-1.9'],
    ['cmd/main.go-919-// a line around a match', 'path cmd/main.go'],
    ['+src/a.ts', 'path src/a.ts'],
    ['gcc -I/usr/include/gtk a.o', 'path /usr/include/gtk'],
    ['node $S/stall.mjs', 'path $S/stall.mjs'],
    ['git show "main:$dir/$sub/a.json"', 'path a.json'],
    ['cat /work/app/src/a.ts', 'path src/a.ts'],
    [`"\${root}/src/a.ts"`, 'path src/a.ts'],
    ['dir + "/src/a.ts"', 'path src/a.ts'],
    ["path.endsWith('/src/a.ts')", 'path src/a.ts'],
    ['strings.HasSuffix(name, "/src/a.ts")', 'path src/a.ts'],
    ['cat "$dir"/src/a.ts', 'path src/a.ts'],
    ["open(r'/etc/app/a.toml')", 'path /etc/app/a.toml'],
    ['<path>/etc/app/a.toml</path>', 'path /etc/app/a.toml'],
    ['reads metadataDir/context.md', 'path context.md'],
    ['"sha": "210246d"', 'commit 210246d'],
    ['v6.0.0-rc.1/go.mod h1:x', 'version v6.0.0-rc.1'],
    ['OID 1.2.840.10008.1.2', 'identifier 1.2.840.10008.1.2'],
    ['see Section 8.1.1', 'identifier 8.1.1'],
    ['at commit 210246d now', 'commit 210246d'],
    ['v6.0.0-20260424211911-732291493fb8', 'commit 732291493fb8'],
    ['ID:b9c8508e416e', 'identifier b9c8508e416e'],
    ['<task_id>a02cdeb</task_id>', 'identifier a02cdeb'],
    ['at 210246d-dirty', 'commit 210246d'],
    ['commit id: 210246d', 'commit 210246d'],
    ['at most 8000 tokens', 'number-with-unit 8000 tokens'],
    ['in 12 files', 'number-with-unit 12 files'],
    ['ok in 0.412s', 'number-with-unit 0.412s'],
    ['took 1,500 ms', 'number-with-unit 1,500 ms'],
    ['at 127.0.0.1', 'identifier 127.0.0.1'],
    [`see https://a.example/b/\${id}`, 'url https://a.example/b/'],
  ])('%s', (text, name) => {
    expect(scan(text)).toContain(name)
  })

  test.each([
    'console.log("x")',
    'process.env',
    'cmd.Env = nil',
    'Next.js',
    'me@example.rs',
    'glob *_test.go',
    'glob src/stanza*.go',
    '%s/main.go',
    's/old/new/g',
    '/foo/g',
    '2026/11/25',
    'index 8e4f62e..a39d1c4 100644',
    'blob 45b983be36b73c0788dc9cbcb76cbb80fc7bb057',
    '0f8e21a4-9b1c-4d2e-8f3a-1b2c3d4e5f60',
    'ssh-ed25519',
    '#1e1e2eff',
    'main.2b3ec41f.js.map(x)',
    'lines 1210 to 1265',
    'mode 100644',
    'a%20b',
    'in <id>/tasks/',
    'dir + "/tasks/" + name',
    'at <id>/logs/agent-<name>.jsonl',
    'import { a } from "../src/a.js"',
    'run(tt.cfg)',
    '2> /dev/null',
    '$ go test ./cmd/entire/cli/integration_tes…',
    'find . -not -path "*/.git/*"',
    'rg -g !/.git/* parse',
    'expected: "210246d"',
    'Entire-Checkpoint: c949f4d5ec57',
    '25_000',
    'branch entire/abc1234',
    'at commit abc1234 now',
    'at commit def5678 now',
    'at commit a1b2c3d4 now',
    'at commit aaa1111 now',
    'at commit abc123def456abc123def456abc123def456abc1 now',
    'ID:b9c8508e416e',
    '"…\\n\\nagentId: ac66d4b"',
    'cache-Linux-82752a906b5296f3484eae9b30f5e30e24e24fe4',
    '…49173 tokens truncated…',
    '[120 lines omitted]',
    'Found 10 files\na',
    '(End of file - total 276 lines)',
    '~/.REDACTED.jsonl',
    'v6.0.0/go.mod h1:x',
  ])('%s holds no path, commit or number', (text) => {
    expect(scan(text).filter((name) => /^(?:path|commit|number)/.test(name))).toEqual([])
  })
})

test.each([
  'https://|credential',
  'see https://…',
  'url = `https://host.dev/$' + '{input.owner}`',
  'GET https://host.dev/{id}',
  'status == "in_progress"',
  'CHANGES_REQUESTED',
])('%s holds no name', (text) => {
  expect(scan(text)).toEqual([])
})

test('of random hashes, few look like an example', () => {
  let state = 1
  const digit = () => {
    state = (state * 48_271) % 2_147_483_647
    return '0123456789abcdef'[state % 16]!
  }
  const hashes = Array.from(
    { length: 2_000 },
    () => `a5${Array.from({ length: 5 }, digit).join('')}`,
  )
  const found = scan(hashes.join('\n')).filter((name) => name.startsWith('commit '))
  expect(new Set(hashes).size - new Set(found).size).toBeLessThan(10)
})

test('a path without an extension is one where a file in it or beside it is known', () => {
  const isPath = createPathCheck(['cmd/cli/agent/main.go', '/work/lib/store/a.ts'])
  expect(
    ['cmd/cli/agent', 'cmd/cli/other', 'store/b', '/work/lib', '/usr/bin', 'a.ts'].filter(isPath),
  ).toHaveLength(6)
  const looksAlike = ['net/http/httptest', 'added/changed/removed', '/oauth/token']
  expect(looksAlike.filter(isPath)).toEqual([])
})

test('a path takes time in proportion to its folders', { tags: 'slow' }, async () => {
  const deep = (depth: number) =>
    Array.from({ length: 20 }, (_, row) => `${row}/${'a/'.repeat(depth)}a.ts`)
  await expectLinearGrowth(deep, createPathCheck, 20)
})
