/**
 * Makes `examples/rate-limiter.jsonl`: a Claude Code session of about 300 messages in which a
 * person and an agent build a rate limiter, one module at a time. Deterministic.
 *
 *   npx tsx scripts/make-example-session.ts
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'

const SESSION_ID = '3f2a9c1e-5b7d-4e86-9a40-c2d81f06b735'
const WORKING_DIRECTORY = '/home/dev/gateway'
const START = Date.UTC(2026, 8, 14, 8, 30)

interface Step {
  readonly module: string
  readonly request: string
  readonly finding: string
  readonly bug: {
    readonly line: string
    readonly fix: string
    readonly error: string
    readonly why: string
  }
  readonly closing: string
}

// Each step is one request of the person and the way the agent took to it.
const STEPS: readonly Step[] = [
  {
    module: 'token-bucket',
    request:
      'We get hammered by one client. Build a rate limiter for the gateway: token bucket, 100 requests per minute per API key. Never use floating point for the budget, we had drift with that before.',
    finding: 'Requests pass through `src/server.ts`; nothing counts them today.',
    bug: {
      line: '  const refill = elapsedMs * RATE_PER_MS',
      fix: '  const refill = Math.trunc((elapsedMs * RATE_PER_MINUTE) / 60_000)',
      error: 'AssertionError: expected 99.99999999999999 to be 100',
      why: 'the refill was a float, which is the drift you warned about; it now counts whole tokens',
    },
    closing: 'The bucket counts in whole tokens and refills 100 per minute.',
  },
  {
    module: 'clock',
    request: 'The tests must not sleep. Put the clock behind an interface.',
    finding: '`token-bucket.ts` calls `Date.now()` in two places.',
    bug: {
      line: '  now: () => Date.now(),',
      fix: '  now: () => Math.trunc(performance.now()),',
      error: 'AssertionError: expected -3600000 to be greater than or equal to 0',
      why: 'wall-clock time runs backwards when summer time ends; a monotonic clock does not',
    },
    closing: 'No test sleeps any more; the suite runs in 0.4 s instead of 61 s.',
  },
  {
    module: 'redis-store',
    request:
      'Now share the buckets between the four gateway nodes. Use Redis, but do not add ioredis, we already have the `redis` client.',
    finding: 'The `redis` client 5.8.2 is connected in `src/cache.ts`.',
    bug: {
      line: '  await client.set(key, JSON.stringify(bucket))',
      fix: '  await client.eval(TAKE_TOKEN, { keys: [key], arguments: [String(now)] })',
      error: 'Error: two nodes took 143 tokens of 100 within one minute',
      why: 'read, change, write is a race between nodes; a Lua script takes the token in one step',
    },
    closing:
      'Taking a token is one atomic Lua script; four nodes together never pass more than 100.',
  },
  {
    module: 'headers',
    request: 'Clients should see where they stand. Which headers do we send?',
    finding:
      'The draft IETF names are `RateLimit` and `RateLimit-Policy`; our SDK reads `X-RateLimit-Remaining`.',
    bug: {
      line: "  response.setHeader('Retry-After', waitMs)",
      fix: "  response.setHeader('Retry-After', Math.ceil(waitMs / 1000))",
      error: "AssertionError: expected '38000' to be '38'",
      why: '`Retry-After` is in seconds, not milliseconds',
    },
    closing: 'Both families of headers are sent, because SDK 3.x still reads the old one.',
  },
  {
    module: 'config',
    request:
      'Make the limit configurable per plan: free 100, team 1000, enterprise 10000. Config in config/limits.yaml.',
    finding: 'Plans come from `src/accounts.ts` as `account.plan`.',
    bug: {
      line: '  const limit = limits[account.plan]',
      fix: '  const limit = limits[account.plan] ?? limits.free',
      error: "TypeError: Cannot read properties of undefined (reading 'perMinute')",
      why: 'accounts from before 2024 have the plan "basic"; an unknown plan now gets the free limit',
    },
    closing: 'Limits come from config/limits.yaml and are checked at start-up.',
  },
  {
    module: 'metrics',
    request:
      'Ops wants to see who gets limited. Prometheus counters please, but never put API keys into labels.',
    finding: '`prom-client` 15.1.3 is registered in `src/metrics.ts`.',
    bug: {
      line: '  limited.inc({ key: apiKey })',
      fix: '  limited.inc({ plan: account.plan, route })',
      error: 'Error: label "key" has 48211 values, the series limit is 10000',
      why: 'one label value per key blew the series limit and would have leaked keys',
    },
    closing: 'Counters are labelled by plan and route only.',
  },
  {
    module: 'fallback',
    request:
      'What happens when Redis is down? I want us to fail open, with a local bucket, and an alert.',
    finding: 'A Redis outage at present throws out of the middleware and answers 500.',
    bug: {
      line: '  } catch { return allow() }',
      fix: '  } catch (error) { alert(error); return localBucket.take(key) }',
      error: 'AssertionError: expected alert to have been called 1 time, but got 0 times',
      why: 'the catch swallowed the outage silently; it now alerts once per minute and uses a local bucket',
    },
    closing:
      'With Redis down each node limits on its own and the alert `rate-limit-degraded` fires.',
  },
  {
    module: 'admin',
    request:
      'Support needs to lift a limit for one customer for an hour. Small admin route, audited.',
    finding: 'Admin routes live under `src/admin/` and are guarded by `requireRole`.',
    bug: {
      line: "  router.post('/limits/:key/lift', lift)",
      fix: "  router.post('/limits/:accountId/lift', requireRole('support'), audit('limit-lift'), lift)",
      error: 'AssertionError: expected 200 to be 403',
      why: 'the route was open to every logged-in user',
    },
    closing: 'Support can lift a limit for at most 60 minutes; each lift is in the audit log.',
  },
  {
    module: 'load-test',
    request:
      'Prove it holds: 2000 requests per second over 4 nodes, p99 under 5 ms added. Keep the script in bench/.',
    finding: '`autocannon` 9.0.0 is already a dev dependency.',
    bug: {
      line: 'const POOL_SIZE = 1',
      fix: 'const POOL_SIZE = 8',
      error: 'p99 added latency 41 ms, bar is 5 ms',
      why: 'all scripts queued on one Redis connection; a pool of 8 brings p99 to 3.1 ms',
    },
    closing:
      'p99 is 3.1 ms at 2000 requests per second. Still open: the dashboard panel for ops, and docs/limits.md.',
  },
]

const entries: object[] = []
let parentUuid: string | null = null
let clock = START
let calls = 0

function createId(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function addEntry(type: 'user' | 'assistant', message: object, more: object = {}): void {
  const uuid = createId(`entry ${entries.length}`)
  clock += 7_000 + (entries.length % 5) * 4_000
  entries.push({
    parentUuid,
    isSidechain: false,
    userType: 'external',
    cwd: WORKING_DIRECTORY,
    sessionId: SESSION_ID,
    version: '2.1.178',
    gitBranch: 'rate-limiter',
    type,
    message,
    uuid,
    timestamp: new Date(clock).toISOString(),
    ...more,
  })
  parentUuid = uuid
}

function say(text: string): void {
  addEntry('user', { role: 'user', content: text })
}

function answer(content: object, stopReason: 'end_turn' | 'tool_use'): void {
  addEntry('assistant', {
    model: 'claude-opus-4-8',
    id: `msg_example_${entries.length}`,
    type: 'message',
    role: 'assistant',
    content: [content],
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: 4,
      cache_read_input_tokens: 18_000 + entries.length * 120,
      output_tokens: 160,
    },
  })
}

function useTool(name: string, input: object, output: string, isError = false): void {
  const id = `toolu_example_${++calls}`
  answer({ type: 'tool_use', id, name, input }, 'tool_use')
  const content = [{ tool_use_id: id, type: 'tool_result', content: output, is_error: isError }]
  addEntry(
    'user',
    { role: 'user', content },
    { toolUseResult: isError ? `Error: ${output}` : { stdout: output } },
  )
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join('\n')
}

function moduleSource({ module, bug, finding }: Step, line: string): string[] {
  const name = module.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return [
    `import type { Account, Request } from './types.ts'`,
    `import { log } from './log.ts'`,
    '',
    `// ${finding}`,
    `export interface ${name[0]!.toUpperCase()}${name.slice(1)}Options {`,
    '  readonly perMinute: number',
    '  readonly burst: number',
    '  readonly account: Account',
    '}',
    '',
    `export async function ${name}(request: Request, account: Account) {`,
    `  const apiKey = request.headers['x-api-key'] ?? ''`,
    '  if (!apiKey) return { allowed: false, reason: "no key" }',
    line,
    `  log.debug({ route: request.route, plan: account.plan }, '${module}')`,
    '  return { allowed: true, remaining: account.remaining }',
    '}',
    ...Array.from(
      { length: 24 },
      (_, index) => `// ${module} case ${index + 1}: ${bug.why.split('; ')[index % 2] ?? bug.why}`,
    ),
  ]
}

function testRun(step: Step, passed: boolean, tests: number): string {
  const cases = Array.from(
    { length: tests },
    (_, index) => ` ✓ test/${step.module}.test.ts > case ${index + 1} (${(index * 7) % 40} ms)`,
  )
  const failure = [
    ` ✗ test/${step.module}.test.ts > keeps its promise`,
    `   ${step.bug.error}`,
    `     at test/${step.module}.test.ts:${30 + tests}:12`,
  ]
  const summary = passed
    ? ` Tests  ${tests + 1} passed (${tests + 1})`
    : ` Tests  1 failed | ${tests} passed (${tests + 1})`
  return [...cases, ...(passed ? [] : failure), summary].join('\n')
}

function tellStep(step: Step, number: number): void {
  const file = `${WORKING_DIRECTORY}/src/${step.module}.ts`
  const test = `${WORKING_DIRECTORY}/test/${step.module}.test.ts`
  const run = `npx vitest run test/${step.module}.test.ts`
  const todos = STEPS.slice(0, number + 2).map((other, index) => ({
    content: `Build ${other.module}`,
    status: index < number ? 'completed' : index === number ? 'in_progress' : 'pending',
    activeForm: `Building ${other.module}`,
  }))
  say(step.request)
  answer(
    { type: 'text', text: `I will look at what is there before I build ${step.module}.` },
    'tool_use',
  )
  useTool('TodoWrite', { todos }, 'Todos have been modified successfully.')
  useTool(
    'Grep',
    { pattern: step.module.split('-')[0], path: `${WORKING_DIRECTORY}/src` },
    `src/server.ts:41:  // ${step.module}\nsrc/types.ts:12:export interface Account {`,
  )
  useTool(
    'Read',
    { file_path: `${WORKING_DIRECTORY}/src/server.ts` },
    numbered(serverSource(number)),
  )
  useTool(
    'Bash',
    { command: 'git status --short', description: 'Show changes' },
    number === 0 ? '' : ` M src/${STEPS[number - 1]!.module}.ts`,
  )
  useTool(
    'Read',
    { file_path: `${WORKING_DIRECTORY}/src/types.ts` },
    numbered([
      'export interface Account {',
      '  id: string',
      "  plan: 'free' | 'team' | 'enterprise'",
      '  remaining: number',
      '}',
    ]),
  )
  answer(
    { type: 'text', text: `${step.finding} I will put the new part into src/${step.module}.ts.` },
    'tool_use',
  )
  useTool(
    'Write',
    { file_path: file, content: moduleSource(step, step.bug.line).join('\n') },
    `File created successfully at: ${file}`,
  )
  useTool(
    'Write',
    {
      file_path: test,
      content: `import { test } from 'vitest'\n// keeps its promise: ${step.closing}\n`,
    },
    `File created successfully at: ${test}`,
  )
  useTool(
    'Bash',
    { command: run, description: 'Run the tests' },
    `Exit code 1\n${testRun(step, false, 6 + number)}`,
    true,
  )
  answer(
    { type: 'text', text: `The test fails with \`${step.bug.error}\`: ${step.bug.why}.` },
    'tool_use',
  )
  useTool('Read', { file_path: file }, numbered(moduleSource(step, step.bug.line)))
  useTool(
    'Edit',
    { file_path: file, old_string: step.bug.line, new_string: step.bug.fix },
    `The file ${file} has been updated.`,
  )
  useTool('Bash', { command: run, description: 'Run the tests' }, testRun(step, true, 6 + number))
  useTool(
    'Bash',
    { command: `git diff src/${step.module}.ts`, description: 'Show the fix' },
    `--- a/src/${step.module}.ts\n+++ b/src/${step.module}.ts\n-${step.bug.line}\n+${step.bug.fix}`,
  )
  useTool(
    'Bash',
    { command: 'npm run check', description: 'Lint and types' },
    'Checked 84 files. No problems found.',
  )
  useTool(
    'Bash',
    { command: `git commit -am "Add ${step.module}"`, description: 'Commit' },
    `[rate-limiter ${createId(step.module).slice(0, 7)}] Add ${step.module}\n 2 files changed, 47 insertions(+)`,
  )
  answer(
    {
      type: 'text',
      text: `${step.closing} Committed; all ${7 + number} tests of ${step.module} pass.`,
    },
    'end_turn',
  )
}

function serverSource(number: number): string[] {
  const used = STEPS.slice(0, number).map((step) => `import './${step.module}.ts'`)
  const routes = Array.from(
    { length: 40 },
    (_, index) => `router.get('/v1/resource-${index}', limited, handler${index})`,
  )
  return [
    `import { createServer } from 'node:http'`,
    ...used,
    '',
    ...routes,
    '',
    'createServer(router).listen(8080)',
  ]
}

STEPS.forEach(tellStep)
const lines = entries.map((entry) => JSON.stringify(entry))
writeFileSync(new URL('../examples/rate-limiter.jsonl', import.meta.url), `${lines.join('\n')}\n`)
