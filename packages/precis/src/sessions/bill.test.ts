import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { pi } from '../agents/pi/pi.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { createMemorySource } from '../files/read-document.ts'
import { type Bill, findElsewhere, readBill } from './bill.ts'

const request = (key: string, tokens = 10) => ({
  key,
  tokens,
  dollars: tokens / 100,
  model: 'm',
  timeMs: undefined,
  input: tokens,
  cacheWrite: 0,
  cacheRead: 0,
  output: 0,
})
const sum = (tokens: number, requests: number, account = 'a') => ({
  account,
  requests,
  tokens,
  dollars: tokens / 100,
})
const nothing = sum(0, 0)
const countElsewhere = (...bills: Bill[]) => findElsewhere(bills).map(({ tokens }) => tokens)

const first: Bill = {
  requests: [request('1'), request('2'), request('3')],
  sums: [nothing, sum(25, 2), sum(40, 3)],
}

describe('what was sent elsewhere', () => {
  test('is what a sum has beside the requests before it', () => {
    expect(findElsewhere([first])).toEqual([{ tokens: 10, dollars: expect.closeTo(0.1) }])
  })

  test('of a fork is counted from the sum that it went on from', () => {
    const early: Bill = { requests: [request('1'), request('2'), request('4')], sums: [sum(42, 3)] }
    const late: Bill = { requests: [request('3'), request('5')], sums: [sum(57, 2), sum(60, 2)] }
    expect(countElsewhere(early, late, first)).toEqual([7, 10, 10])
    // If the source is missing, what its first sum contains is unknown.
    expect(countElsewhere(late)).toEqual([3])
  })

  test('of a copy is counted once, whichever comes first', () => {
    const copy = { ...first, requests: [...first.requests, request('6')] }
    const goneOn = { ...copy, sums: [...first.sums, sum(55, 4)] }
    expect(countElsewhere(first, copy, goneOn)).toEqual([10, 0, 5])
    expect(countElsewhere(goneOn, first)).toEqual([15, 0])
  })

  test('is nothing where a sum misses requests, as after a kill', () => {
    expect(countElsewhere({ ...first, sums: [nothing, sum(5, 2), sum(15, 3)] })).toEqual([0])
  })

  test('of other accounts has nothing to do with it', () => {
    const other = { ...first, sums: [sum(0, 0, 'b'), sum(31, 3, 'b')] }
    expect(countElsewhere(first, other)).toEqual([10, 1])
  })

  test('has no price where a model of a sum has none', () => {
    const sums = [nothing, { ...sum(50, 3), dollars: undefined }]
    expect(findElsewhere([{ ...first, sums }])).toEqual([{ tokens: 20, dollars: undefined }])
  })

  test('is never more than was sent, whatever was forked where', { tags: 'property' }, () => {
    const act = fc.oneof(
      fc.record({ type: fc.constant('ask' as const), tokens: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ type: fc.constant('aside' as const), tokens: fc.integer({ min: 1, max: 50 }) }),
      fc.record({ type: fc.constant('note' as const), tokens: fc.constant(0) }),
      fc.record({ type: fc.constant('fork' as const), tokens: fc.nat(9) }),
    )
    const step = fc.record({ session: fc.nat(9), act })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { bills, visible, sent } = play(steps)
        const elsewhere = findElsewhere(bills).reduce((total, { tokens }) => total + tokens, 0)
        expect(elsewhere).toBeGreaterThanOrEqual(0)
        expect(visible + elsewhere).toBeLessThanOrEqual(sent)
      }),
      { numRuns: runs(1000) },
    )
  })
})

interface Step {
  readonly session: number
  readonly act: { readonly type: 'ask' | 'aside' | 'note' | 'fork'; readonly tokens: number }
}

/** Sessions as an agent makes them: a fork copies the newest requests and restores the last sum. */
function play(steps: readonly Step[]) {
  const sessions = [{ requests: [] as Bill['requests'][number][], sums: [nothing], total: 0 }]
  let visible = 0
  let sent = 0
  for (const { session, act } of steps) {
    const { [session % sessions.length]: at = sessions[0]! } = sessions
    const { tokens } = act
    if (act.type === 'ask') {
      at.requests.push(request(String(sent), tokens))
      visible += tokens
    }
    if (act.type === 'note') at.sums.push(sum(at.total, at.requests.length))
    else if (act.type === 'fork')
      sessions.push({
        requests: at.requests.slice(tokens % (at.requests.length + 1)),
        sums: [],
        total: at.sums.at(-1)?.tokens ?? 0,
      })
    else {
      at.total += tokens
      sent += tokens
    }
  }
  return { bills: sessions, visible, sent }
}

function readLines(agent: Agent, lines: readonly object[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return readBill(agent, createMemorySource(Buffer.from(text)))
}

describe('the bill of a session of Claude Code', () => {
  const read = (...lines: object[]) => readLines(claudeCode, lines)
  const usage = { input_tokens: 100, output_tokens: 10 }
  const answer = (id: string, more: object = usage) => ({
    type: 'assistant',
    message: { id, model: 'claude-opus-4-5', usage: more, content: [] },
  })
  const asked = { type: 'api-request', sessionId: 's', params: {} }
  const state = (inputTokens: number) => ({
    type: 'cost-state',
    startTime: 7,
    modelUsage: {
      'claude-opus-4-5': {
        inputTokens,
        outputTokens: 20,
        cacheReadInputTokens: 30,
        cacheCreationInputTokens: 50,
        cacheCreationEphemeral1hInputTokens: 10,
      },
    },
  })

  test('begins at nothing, and has the sums that it notes', () => {
    const { requests, sums } = read(asked, answer('1'), state(200), answer('2'), state(300))
    expect(requests.map(({ tokens }) => tokens)).toEqual([110, 110])
    const dollars = (200 * 5 + 20 * 25 + 30 * 0.5 + 40 * 6.25 + 10 * 10) / 1e6
    expect(sums).toEqual([
      { account: '7', requests: 0, tokens: 0, dollars: 0 },
      { account: '7', requests: 1, tokens: 300, dollars: expect.closeTo(dollars, 12) },
      { account: '7', requests: 2, tokens: 400, dollars: expect.any(Number) },
    ])
  })

  test('that goes on from another begins with its first sum', () => {
    const { sums } = read(answer('1'), asked, answer('2'), state(200))
    expect(sums.map(({ tokens }) => tokens)).toEqual([300])
  })

  test('leaves out answers whose numbers were taken off', () => {
    const carried = answer('1', { input_tokens: 0, output_tokens: 0 })
    const { requests, sums } = read(carried, asked, answer('2'), state(200))
    expect(requests).toHaveLength(1)
    expect(sums.map(({ tokens }) => tokens)).toEqual([0, 300])
  })
})

describe('a request has the same key in a fork alone', () => {
  const readKeys = (agent: Agent, lines: readonly object[]) =>
    readLines(agent, lines).requests.map(({ key }) => key)

  test('of Codex, whose forks name the turns or the thread that they go on from', () => {
    const last_token_usage = { input_tokens: 90, output_tokens: 10, total_tokens: 100 }
    const info = { last_token_usage, total_token_usage: { total_tokens: 100 } }
    const content = [{ type: 'output_text', text: 'Done.' }]
    const session = (turn?: string) => [
      { type: 'turn_context', payload: { model: 'gpt-5', turn_id: turn } },
      { type: 'response_item', payload: { type: 'message', role: 'assistant', content } },
      { type: 'event_msg', payload: { type: 'token_count', info } },
    ]
    const meta = (id: string, forked_from_id?: string) => ({
      type: 'session_meta',
      payload: { id, forked_from_id },
    })
    const read = (...lines: object[]) => readKeys(codex, lines)
    expect(read(meta('b', 'a'), ...session('t'))).toEqual(read(meta('a'), ...session('t')))
    expect(read(meta('b'), ...session('t'))).not.toEqual(read(meta('a'), ...session('u')))
    // Before turns had ids. A fork repeats the lines of what it was forked from.
    const [original, other] = [read(meta('a'), ...session()), read(meta('b'), ...session())]
    expect(original).not.toEqual(other)
    expect(read(meta('b', 'a'), ...session())).toEqual(original)
    expect(read(meta('c', 'b'), meta('b', 'a'), meta('a'), ...session())).toEqual(original)
  })

  test('of Claude Code, where a server numbers its answers anew', () => {
    const answer = (timestamp: string, requestId?: string) => ({
      timestamp,
      requestId,
      message: { id: 'msg_1', model: 'm', usage: { input_tokens: 1 } },
    })
    const read = (...words: Parameters<typeof answer>) => readKeys(claudeCode, [answer(...words)])
    expect(read('1')).toEqual(read('1'))
    expect(read('1')).not.toEqual(read('2'))
    expect(read('1', 'req_1')).toEqual(read('2', 'req_1'))
  })

  test('of pi, by the id of the answer', () => {
    const answer = (timestamp: string, responseId?: string) => ({
      timestamp,
      message: { role: 'assistant', model: 'm', responseId, usage: { input: 1 } },
    })
    const read = (...words: Parameters<typeof answer>) => readKeys(pi, [answer(...words)])
    expect(read('1', 'r')).toEqual(read('2', 'r'))
    expect(read('1', 'r')).not.toEqual(read('1', 's'))
    expect(read('1')).not.toEqual(read('2'))
  })
})
