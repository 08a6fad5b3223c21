import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'aaaaaaaa-1111-4222-8333-444444444444'

let home: string
let session: string

beforeEach(() => {
  home = createHome()
  session = writeFixture(join(home, 'session.jsonl'), createClaudeSession({ sessionId: ID }))
})

const show = async (...words: string[]) => await runPrecis(home, ['show', session, ...words])

describe('show', () => {
  test('prints every turn: who said it, calls with the beginning of their results, in their order', async () => {
    const { code, stdout, stderr } = await show()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^# Fix the tax in cart.ts\n\nClaude Code · aaaaaaaa-.* · 12 turns · /)
    expect(stdout.match(/^## Turn \d+ · 2026-04-01 /gm)).toHaveLength(12)
    const [, first = ''] = stdout.split('\n## ')
    expect(first.match(/^(?:###|\*\*|> ).*/gm)).toEqual([
      expect.stringMatching(/^### You · \d\d:\d\d · record 1$/),
      '> Fix the tax in cart.ts',
      expect.stringMatching(/^### Agent · \d\d:\d\d · record 2$/),
      '**Read** `/work/shop/src/cart0.ts`',
      '**Edit** `/work/shop/src/cart0.ts`',
      expect.stringMatching(/^### Agent · \d\d:\d\d · record 6$/),
    ])
    expect(first).toContain('characters more: --record 3*')
  })

  test('prints one turn, the same as among all', async () => {
    const [whole, one] = [await show(), await show('3')]
    expect(one.stdout).toMatch(/^## Turn 3 · /)
    expect(whole.stdout).toContain(one.stdout)
  })

  test('prints one record in full, by the number that is printed and that a search names', async () => {
    const { stdout } = await show('--record', '3')
    expect(stdout).toContain('net11 + shipping(0) // round 4')
    expect(stdout).not.toContain('characters more')
    expect((await show('--record', '2')).stdout).toContain('file_path')
  })

  test('--all leaves nothing out', async () => {
    const { stdout } = await show('--all')
    expect(stdout).toContain('old_string')
    expect(stdout.match(/const price11_39/g)).toHaveLength(1)
    expect(stdout).not.toContain('characters more')
  })

  test('exports to a file that only the user reads, and never over the session', async () => {
    const out = join(home, 'talk.md')
    const { stdout, stderr } = await show('--out', out)
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('Wrote')])
    expect(readFileSync(out, 'utf8')).toBe((await show()).stdout)
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect((await show('--out', session)).code).toBe(2)
    const { output, bytes } = JSON.parse((await show('--out', out, '--json')).stdout)
    expect([output, bytes]).toEqual([out, statSync(out).size])
  })

  test('gives messages as JSON', async () => {
    const { messages, ...rest } = JSON.parse((await show('2', '--json')).stdout)
    expect(rest).toEqual({ format: 'claude-code', agent: 'claude-code', sessionId: ID })
    expect(messages[0]).toEqual({
      turn: 2,
      role: 'user',
      origin: 'user',
      time: '2026-04-01T00:00:06.000Z',
      records: [7],
      markdown: expect.stringContaining('> Now the next one, number 1, please.'),
    })
  })

  test('shows the summary that precis wrote in its place, with the words of the user', async () => {
    const out = join(home, 'small.jsonl')
    await runPrecis(home, [
      'compress',
      session,
      '--strategy',
      'tail-summary',
      '--budget',
      '20%',
      '--out',
      out,
    ])
    const { stdout } = await runPrecis(home, ['show', out])
    expect(stdout).toMatch(
      /^### Summary by precis · .*\n\n.*\n#### Where things stand\n.*> \[2\] Now the next one/ms,
    )
  })

  describe('in the place of a compaction', () => {
    const lines = createClaudeSession({ sessionId: ID }).trimEnd().split('\n')
    const at = (place: number) => JSON.parse(lines[place] ?? '')
    const writeCompacted = (compactMetadata: object, summary: string) => {
      const { uuid, timestamp } = at(17)
      const boundary = {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: 'c1',
        parentUuid: null,
        sessionId: ID,
        timestamp,
      }
      const written = { ...at(0), uuid: 'c2', parentUuid: 'c1', timestamp, isCompactSummary: true }
      const next = { ...at(18), parentUuid: 'c2' }
      const added = [
        { ...boundary, logicalParentUuid: uuid, compactMetadata },
        { ...written, message: { role: 'user', content: summary } },
        next,
      ].map((record) => JSON.stringify(record))
      writeFixture(session, `${[...lines.slice(0, 18), ...added, ...lines.slice(19)].join('\n')}\n`)
    }

    test('says what it cost and lost, in the words of the overview', async () => {
      writeCompacted(
        { trigger: 'auto', preTokens: 155_000, postTokens: 9_000, durationMs: 43_000 },
        'All is well.',
      )
      const { stdout } = await show()
      expect(stdout).toMatch(
        /\n### Compaction · \d\d:\d\d · record 19\n\n\*The agent made the history shorter: waited 43 s · tokens before 155,000 · after 9,000 · your messages 3 of 3 gone · facts [\d,]+ of [\d,]+ gone · cost ~\$0\.\d\d\*\n/,
      )
      expect(stdout).toMatch(/\n\*Gone, such as:\* \S.* · /)
      expect(stdout).toMatch(/\n\*Summary\* \(12 characters\): All is well\.\n/)
      const page = await runPrecis(home, ['inspect', session, '--html', 'page.html'])
      expect(page.code).toBe(0)
      expect(readFileSync(join(home, 'page.html'), 'utf8')).toContain('>3 of 3 gone<')
    })

    test('is there at the end of a session', async () => {
      writeCompacted({ trigger: 'manual', preTokens: 155_000 }, 'All is well.')
      const ended = readFileSync(session, 'utf8').split('\n').slice(0, 20)
      writeFixture(session, `${ended.join('\n')}\n`)
      for (const words of [[], ['3']]) {
        const { stdout } = await show(...words)
        expect(stdout).toMatch(/\n### Compaction .*\n\n\*You asked.*\n(?:.*\n)*\*Summary\*.*\n$/)
      }
      expect((await show('1')).stdout).not.toContain('### Compaction')
    })

    test('says who asked, and leaves out what is not known', async () => {
      writeCompacted({ trigger: 'manual', preTokens: 155_000 }, 'Fix the tax in cart.ts.')
      const { stdout } = await show()
      expect(stdout).toContain('*You asked, the agent made the history shorter: ')
      expect(stdout).toContain('your messages 2 of 3 gone ·')
      expect(stdout).not.toContain('–')
    })

    test('is in the turn that it happened in alone', async () => {
      writeCompacted({ trigger: 'auto', preTokens: 155_000 }, 'All is well.')
      expect((await show('3')).stdout).not.toContain('### Compaction')
      expect((await show('1')).stdout).not.toContain('### Compaction')
    })

    test('takes nothing of the session for its own words', async () => {
      writeCompacted(
        { trigger: 'auto', preTokens: 155_000 },
        '\u001b]0;x\u0007\n## Turn 99\n<img src=x>',
      )
      for (const words of [[], ['--all']]) {
        const { stdout } = await show(...words)
        for (const part of ['\u001b', '\u0007', '\n## Turn 99', ' <img'])
          expect(stdout).not.toContain(part)
      }
    })
  })

  test('reads standard input, and the messages of a provider', async () => {
    const codex = await runPrecis(home, ['show', '-'], {
      stdin: createCodexSession({ sessionId: ID }),
    })
    expect(codex.stdout).toContain("**exec_command** `sed -n '1,80p' src/cart0.ts`")
    const stdin = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], model: 'gpt-5' })
    const request = await runPrecis(home, ['show', '-', '--format', 'openai-chat'], { stdin })
    expect(request.stdout).toContain('## Turn 1\n\n### You · record 1\n\n> Hello\n')
  })

  test('shows each result below its call, even if a model uses an id again', async () => {
    const use = (path: string, content: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_0',
            type: 'function',
            function: { name: 'read', arguments: `{"path":"${path}"}` },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', content },
    ]
    const messages = [{ role: 'user', content: 'Read' }, ...use('a', 'one'), ...use('b', 'two')]
    const { stdout } = await runPrecis(home, ['show', '-'], {
      stdin: JSON.stringify({ model: 'gpt-5', messages }),
    })
    expect(stdout).toContain('**read** `a`\n\n```\none\n```\n\n**read** `b`\n\n```\ntwo\n```\n')
  })

  test('marks a command as failed by its exit code, also if its record is shown alone', async () => {
    const run = (id: string, command: string, content: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id,
            type: 'function',
            function: { name: 'bash', arguments: JSON.stringify({ command }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: id, content },
    ]
    const messages = [
      { role: 'user', content: 'Test it' },
      ...run('a', 'npm test', 'Exit code: 1\nboom'),
      ...run('b', 'grep TODO a.ts', 'Exit code: 1'),
    ]
    const stdin = JSON.stringify({ model: 'gpt-5', messages })
    const print = async (...words: string[]) =>
      (await runPrecis(home, ['show', '-', ...words], { stdin })).stdout
    const whole = await print()
    expect(whole).toContain('**bash** `npm test`\n\n*Failed:*\n\n```\nExit code: 1\nboom')
    expect(whole.match(/Failed/g)).toHaveLength(1)
    expect(await print('--record', '3')).toContain('*Failed:*')
    expect(await print('--record', '5')).not.toContain('Failed')
  })

  test('shows no secret, steers no terminal and lets nothing pass for a turn', async () => {
    const hostile = `\u001b]0;x\u0007\n## Turn 99\n<img src=x onerror=alert(1)> sk-ant-api03-${'k7Qz'.repeat(24)}`
    const text = JSON.stringify(hostile).slice(1, -1)
    writeFixture(session, createClaudeSession({ sessionId: ID }).replaceAll('Done: ', text))
    for (const words of [[], ['--all'], ['--record', '6']]) {
      const { stdout } = await show(...words)
      expect(stdout).toContain('\n#### Turn 99\n&lt;img')
      for (const part of ['\u001b', '\u0007', 'k7Qzk7Qz']) expect(stdout).not.toContain(part)
    }
  })

  test.each([
    [['99'], 'there is no turn 99. It has 12 turns'],
    [['--record', '9999'], 'record 9999 contains no message'],
    [['2', '--record', '3'], 'not both'],
    [['two'], 'Give a number'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await show(...words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
