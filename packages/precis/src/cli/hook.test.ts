import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSummaryMessage, readText } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { agents } from '../agents/index.ts'
import type { PiContext } from '../agents/pi/extension.ts'
import { loadPi } from '../agents/pi/pi.suite.ts'
import { keepDocument } from '../compression/keep-original.ts'
import { createMemorySource } from '../files/read-document.ts'
import { NO_DAMAGE } from '../sessions/load-session.ts'
import {
  BIN,
  createClaudeSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'
import { MOST_MS } from './hook.ts'

const SESSION_ID = createUuid(7)

function createTranscript(home: string): string {
  const text = createClaudeSession({
    sessionId: SESSION_ID,
    firstPrompt: 'Remember the word MARMALADE',
  })
  return writeFixture(join(home, '.claude/projects/-work-shop', `${SESSION_ID}.jsonl`), text)
}

function tell(home: string, agent: string, input: object) {
  return runPrecis(home, ['hook', agent], { stdin: JSON.stringify(input) })
}

describe('precis hook', () => {
  test('ends before every timeout that an agent is given for it', () => {
    const timeouts = agents.flatMap(({ installation }) => {
      const command = { program: 'node', words: ['/opt/precis.js'] }
      const entries = installation?.listEntries({ environment: { HOME: '/home/x' }, command }) ?? []
      const texts = entries.map((entry) => JSON.stringify(entry))
      return texts.flatMap((text) =>
        [...text.matchAll(/"timeout":(\d+)/g)].map(([, n]) => Number(n)),
      )
    })
    expect(timeouts.length).toBeGreaterThan(3)
    // Agents count in seconds or in milliseconds.
    const shortest = Math.min(
      ...timeouts.map((timeout) => (timeout < 1000 ? timeout * 1000 : timeout)),
    )
    expect(MOST_MS).toBeLessThan(shortest)
  })

  test('keeps the session of Claude Code before it is compacted, and says nothing', async () => {
    const home = createHome()
    const path = createTranscript(home)
    const input = {
      hook_event_name: 'PreCompact',
      session_id: SESSION_ID,
      transcript_path: path,
      trigger: 'auto',
    }
    expect(await tell(home, 'claude-code', input)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const { stdout } = await runPrecis(home, ['restore', SESSION_ID])
    expect(stdout).toBe(readFileSync(path, 'utf8'))
    expect((await runPrecis(home, ['recall', SESSION_ID, 'MARMALADE'])).stdout).toContain(
      'Remember the word MARMALADE',
    )
  })

  test('finds what an earlier compaction took, too', async () => {
    const home = createHome()
    const path = createTranscript(home)
    const input = { hook_event_name: 'PreCompact', session_id: SESSION_ID, transcript_path: path }
    await tell(home, 'claude-code', input)
    writeFileSync(
      path,
      createClaudeSession({ sessionId: SESSION_ID, firstPrompt: 'Something else', turns: 2 }),
    )
    await tell(home, 'claude-code', input)
    expect((await runPrecis(home, ['recall', SESSION_ID, 'MARMALADE'])).stdout).toContain(
      'Remember the word MARMALADE',
    )
  })

  test('tells the model behind a compaction where everything is, once the tool is installed', async () => {
    const home = createHome()
    const transcript_path = createTranscript(home)
    await runPrecis(home, ['install', 'claude-code'])
    await tell(home, 'claude-code', {
      hook_event_name: 'PreCompact',
      session_id: SESSION_ID,
      transcript_path,
    })
    const input = {
      hook_event_name: 'SessionStart',
      source: 'compact',
      session_id: SESSION_ID,
      transcript_path,
    }
    const { stdout } = await tell(home, 'claude-code', input)
    const { additionalContext } = JSON.parse(stdout).hookSpecificOutput
    const [, reference] =
      /kept word for word under reference ([0-9a-f]{12}):.* call mcp__precis__recall/.exec(
        additionalContext,
      ) ?? []
    expect((await runPrecis(home, ['restore', reference ?? ''])).stdout).toBe(
      readFileSync(transcript_path, 'utf8'),
    )
  })

  test('puts back the words of the user, as many as the agent takes', async () => {
    const home = createHome()
    const transcript_path = createTranscript(home)
    const input = {
      hook_event_name: 'SessionStart',
      source: 'compact',
      session_id: SESSION_ID,
      transcript_path,
    }
    const { stdout } = await tell(home, 'claude-code', input)
    const { additionalContext } = JSON.parse(stdout).hookSpecificOutput
    expect(additionalContext).toContain('> [1] Remember the word MARMALADE')
    expect(additionalContext).toContain('Now the next one, number 11, please.')
    expect(additionalContext.length).toBeLessThanOrEqual(10_000)
    expect(additionalContext).not.toContain('recall')
  })

  test('says in one line what the summary of Claude Code lost, and nothing of what it quotes', async () => {
    const home = createHome()
    const transcript_path = createTranscript(home)
    await runPrecis(home, ['install', 'claude-code'])
    await tell(home, 'claude-code', {
      hook_event_name: 'PreCompact',
      session_id: SESSION_ID,
      transcript_path,
    })
    const told = { hook_event_name: 'PostCompact', session_id: SESSION_ID, transcript_path }
    const verify = async (compact_summary: string) =>
      (await tell(home, 'claude-code', { ...told, compact_summary })).stdout
    expect(await verify('They worked on prices.')).toMatch(
      /^precis: the summary is without 12 of your 12 messages and \d+ of \d+ facts; your words are put back, recall has the rest\.$/,
    )
    expect(await verify('The user said: "Remember the word MARMALADE".')).toContain(
      'is without 11 of your 12 messages',
    )
  })

  test('is silent behind a compaction that the gateway answered, and not behind the next one', async () => {
    const home = createHome()
    const transcript_path = createTranscript(home)
    const told = {
      session_id: SESSION_ID,
      transcript_path,
      source: 'compact',
      compact_summary: 'They worked.',
    }
    const ask = async (hook_event_name: string) =>
      (await tell(home, 'claude-code', { ...told, hook_event_name })).stdout
    await ask('PreCompact')
    const document = JSON.stringify({
      model: 'claude-sonnet-4-5',
      messages: [{ role: 'user', content: 'x' }],
    })
    const keep = async (sessionId: string) => {
      const source = createMemorySource(Buffer.from(document))
      const conversation = formats['anthropic-messages'].parse(source)
      const session = {
        source,
        format: 'anthropic-messages',
        sessionId,
        path: undefined,
        conversation,
      }
      const place = { database: join(home, '.local/share/precis/archive.db'), quotaBytes: 1 << 30 }
      await keepDocument({ ...session, damage: NO_DAMAGE }, place)
    }
    await keep(`${SESSION_ID}/subagent.0123456789ab`)
    expect(await ask('SessionStart')).toContain('MARMALADE')
    await keep(`${SESSION_ID}.0123456789ab`)
    expect([await ask('SessionStart'), await ask('PostCompact')]).toEqual(['', ''])
    await ask('PreCompact')
    expect(await ask('SessionStart')).toContain('MARMALADE')
    expect(await ask('PostCompact')).toContain('is without 12 of your 12 messages')
  })

  test('that a plugin starts names the tool of the plugin, and leaves the work to what was installed', async () => {
    const home = createHome()
    const transcript_path = createTranscript(home)
    const call = (input: object) =>
      runPrecis(home, ['hook', 'claude-code', '--plugin'], {
        stdin: JSON.stringify({ ...input, session_id: SESSION_ID, transcript_path }),
      })
    const start = { hook_event_name: 'SessionStart', source: 'compact' }
    await call({ hook_event_name: 'PreCompact' })
    expect((await call(start)).stdout).toContain('call mcp__plugin_precis_precis__recall with')
    await runPrecis(home, ['install', 'claude-code'])
    expect(await call(start)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('puts back for Codex what is neither in its summary nor among the messages that it keeps', async () => {
    const home = createHome()
    const message = (role: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    })
    const [kept, lost] = [
      message('user', 'Never touch src/legacy'),
      message('user', 'Rename src/a.ts'),
    ]
    const rows = [
      [
        'session_meta',
        { id: SESSION_ID, cwd: '/work/shop', timestamp: '2026-01-01T00:00:00.000Z' },
      ],
      ...[lost, message('assistant', 'Done.'), kept].map((item) => ['response_item', item]),
      ['compacted', { message: '', replacement_history: [kept, message('user', 'They worked.')] }],
    ]
    const timestamp = '2026-01-01T00:00:00.000Z'
    const text = rows
      .map(([type, payload]) => `${JSON.stringify({ timestamp, type, payload })}\n`)
      .join('')
    const transcript_path = writeFixture(join(home, 'rollout.jsonl'), text)
    const ask = async (hook_event_name: string) =>
      JSON.parse(
        (await tell(home, 'codex', { hook_event_name, source: 'compact', transcript_path })).stdout,
      )
    expect((await ask('PostCompact')).systemMessage).toMatch(
      /^precis: this compaction lost 1 of your 2 messages .* your words are put back/,
    )
    const { additionalContext } = (await ask('SessionStart')).hookSpecificOutput
    expect(additionalContext).toContain('Rename src/a.ts')
    expect(additionalContext).not.toContain('Never touch')
    const summary = readText(createSummaryMessage('They worked.', '', ''))
    const item = {
      type: 'compaction',
      id: 'x',
      encrypted_content: `precis-compaction-1:${btoa(summary)}`,
    }
    const payload = { message: '', replacement_history: [item] }
    writeFileSync(
      transcript_path,
      `${text}${JSON.stringify({ timestamp, type: 'compacted', payload })}\n`,
    )
    for (const hook_event_name of ['PostCompact', 'SessionStart'])
      expect(
        (await tell(home, 'codex', { hook_event_name, source: 'compact', transcript_path })).stdout,
      ).toBe('')
  })

  test('puts back for Gemini CLI, with the next prompt and once, what a compression lost', async () => {
    const home = createHome()
    const user = (id: string, ...texts: string[]) => ({
      id,
      type: 'user',
      content: texts.map((text) => ({ text })),
    })
    const model = (id: string) => ({
      id,
      type: 'gemini',
      content: 'Done.',
      model: 'gemini-2.5-pro',
    })
    const compress = (text: string) => ({
      $set: { messages: [user('s', `<state_snapshot>\n${text}\n</state_snapshot>`)] },
    })
    const said = [
      { sessionId: SESSION_ID, projectHash: 'p', kind: 'main' },
      user('a', 'Never touch src/legacy'),
      model('b'),
    ]
    const path = join(home, 'chat.jsonl')
    const ask = async (...records: object[]) => {
      writeFixture(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      return (
        await tell(home, 'gemini-cli', { hook_event_name: 'BeforeAgent', transcript_path: path })
      ).stdout
    }
    expect(await ask(...said)).toBe('')
    const compressed = [...said, compress('They worked.')]
    const { systemMessage, hookSpecificOutput } = JSON.parse(await ask(...compressed))
    expect(systemMessage).toMatch(
      /^precis: this compaction lost 1 of your 1 message .* your words are put back/,
    )
    const { additionalContext } = hookSpecificOutput
    expect(additionalContext).toContain('Never touch src/legacy')
    const context = `<hook_context>${additionalContext.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</hook_context>`
    const repaired = [...compressed, user('c', 'Rename src/a.ts', context), model('d')]
    expect(await ask(...repaired)).toBe('')
    // Restored text does not count as words of the user.
    const again = JSON.parse(await ask(...repaired, compress('They worked on.')))
    expect(again.systemMessage).toMatch(/lost 2 of your 2 messages/)
    expect(again.hookSpecificOutput.additionalContext).toContain('> [1] Never touch src/legacy')
    expect(again.hookSpecificOutput.additionalContext.match(/^> \[/gm)).toHaveLength(2)
    const own = readText(createSummaryMessage('They worked.', '', ''))
    expect(await ask(...repaired, compress(own))).toBe('')
  })

  test.each([
    ['no JSON', 'claude-code', 'hello'],
    ['nothing', 'claude-code', ''],
    ['a session that is not there', 'claude-code', '{"transcript_path":"/nowhere.jsonl"}'],
    ['a file that is no session', 'gemini-cli', `{"transcript_path":${JSON.stringify(BIN)}}`],
    ['a list', 'pi', '[]'],
    ['entries that are none', 'pi', '{"header":{},"entries":[1,null],"firstKeptEntryId":"x"}'],
    ['an agent nobody knows', 'emacs', '{}'],
  ])('ends well and in silence when it is told %s', async (_, agent, stdin) => {
    const home = createHome()
    expect(await runPrecis(home, ['hook', agent], { stdin })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const { code, stderr } = await runPrecis(home, ['hook', agent, '--verbose'], { stdin })
    expect(code).toBe(0)
    expect(stderr).not.toContain('should not happen')
  })

  test('keeps nothing where the person wants nothing kept', async () => {
    const home = createHome()
    writeFixture(join(home, '.config/precis/config.json'), '{"archive": false}')
    const { code } = await tell(home, 'claude-code', { transcript_path: createTranscript(home) })
    expect(code).toBe(0)
    expect(
      statSync(join(home, '.local/share/precis/archive.db'), { throwIfNoEntry: false }),
    ).toBeUndefined()
  })
})

describe('a hook that fires without a compaction', () => {
  const listEntries = async (home: string): Promise<{ command: string; originalBytes: number }[]> =>
    (await runJson(home, ['archive'])).entries

  test('of the same session leaves one entry: of its newest state, until it is compacted', async () => {
    const home = createHome()
    const path = createTranscript(home)
    const input = { hook_event_name: 'PreCompact', session_id: SESSION_ID, transcript_path: path }
    for (const turns of [12, 12, 13]) {
      writeFileSync(path, createClaudeSession({ sessionId: SESSION_ID, turns }))
      await tell(home, 'claude-code', input)
      const entries = await listEntries(home)
      expect(entries.map(({ originalBytes }) => originalBytes)).toEqual([statSync(path).size])
    }
    const whole = readFileSync(path, 'utf8')
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: createUuid(900),
      parentUuid: null,
    }
    writeFileSync(
      path,
      `${whole}${JSON.stringify({ ...boundary, sessionId: SESSION_ID, isSidechain: false })}\n`,
    )
    for (const _ of [1, 2]) await tell(home, 'claude-code', input)
    expect(await listEntries(home)).toHaveLength(2)
    expect((await runPrecis(home, ['archive', 'verify'])).code).toBe(0)
  })

  test('leaves those of other sessions, and what precis made of this one', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const path = createTranscript(home)
    await runPrecis(home, ['compress', path, '--budget', '30%'])
    const other = createUuid(8)
    const otherPath = writeFixture(
      join(home, `${other}.jsonl`),
      createClaudeSession({ sessionId: other }),
    )
    for (const transcript_path of [path, otherPath, path, otherPath])
      await tell(home, 'claude-code', { transcript_path })
    expect((await listEntries(home)).map(({ command }) => command)).toEqual([
      'compact',
      'compact',
      'compress',
    ])
  })

  describe('as Gemini CLI does before every request', () => {
    /** A chat whose last request had this many tokens. */
    function createChat(home: string, tokens: number): string {
      const sessionId = createUuid(7)
      const records = [
        { sessionId, projectHash: 'cffc', startTime: '2026-01-01T00:00:00.000Z' },
        { id: 'u1', type: 'user', content: [{ text: 'Remember the word MARMALADE' }] },
        {
          id: 'g1',
          type: 'gemini',
          content: 'Yes.',
          model: 'gemini-2.5-pro',
          tokens: { input: tokens, total: tokens },
        },
      ]
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      return writeFixture(
        join(home, '.gemini/tmp/shop/chats', 'session-2026-01-01T00-00-00000007.jsonl'),
        text,
      )
    }
    const fire = (home: string, transcript_path: string, trigger: string) =>
      tell(home, 'gemini-cli', { hook_event_name: 'PreCompress', transcript_path, trigger })

    test.each([
      ['auto', 9000, undefined, 0],
      ['manual', 9000, undefined, 1],
      ['auto', 600_000, undefined, 1],
      ['auto', 9000, '{ "model": { "compressionThreshold": 0.01 } } // early', 1],
      ['auto', 600_000, '{ "model": { "compressionThreshold": 0.9 } }', 1],
      ['auto', 9000, '{ "model": ', 1],
    ])(
      '%s, at %d tokens, with the settings %s: %d entries',
      async (trigger, tokens, settings, count) => {
        const home = createHome()
        const path = createChat(home, tokens)
        if (settings !== undefined) writeFixture(join(home, '.gemini/settings.json'), settings)
        for (const _ of [1, 2, 3]) await fire(home, path, trigger)
        expect(await listEntries(home)).toHaveLength(count)
      },
    )
  })
})

describe('the extension of pi', () => {
  const words = 'Line after line of what the tool printed. '.repeat(120)
  const HEADER = {
    type: 'session',
    version: 3,
    id: createUuid(9),
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/work',
  }

  function createEntries(turns: number) {
    const stamp = { timestamp: '2026-01-01T00:00:00.000Z' }
    return Array.from({ length: turns * 2 }, (_, index) => {
      const id = `e${index}`
      const isUser = index % 2 === 0
      const text = isUser
        ? `Step ${index / 2}: the word is MARMALADE-${index / 2}. Never touch src/legacy.`
        : words
      const message = isUser
        ? { role: 'user', content: text, timestamp: index }
        : {
            role: 'assistant',
            content: [{ type: 'text', text }],
            api: 'openai-completions',
            provider: 'x',
            model: 'm',
            stopReason: 'stop',
            timestamp: index,
          }
      return {
        type: 'message',
        id,
        parentId: index === 0 ? null : `e${index - 1}`,
        ...stamp,
        message,
      }
    })
  }

  /** Loads it like pi, with the command in a separate home. */
  function load(home: string) {
    const command = {
      program: '/usr/bin/env',
      words: ['-u', 'XDG_DATA_HOME', `HOME=${home}`, process.execPath, BIN],
    }
    return loadPi(command)
  }

  function createContext(home: string, sessionFile: string | undefined): PiContext {
    const sessionManager = {
      getSessionFile: () => sessionFile,
      getSessionId: () => HEADER.id,
      getHeader: () => HEADER,
    }
    return { cwd: home, sessionManager }
  }

  test('replaces a compaction by a summary, carries on what the person settled, and finds the rest', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const entries: object[] = createEntries(6)
    const text = [HEADER, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('')
    const file = writeFixture(join(home, 'session.jsonl'), text)
    const { compact: listener, tool } = load(home)
    const context = createContext(home, file)
    const preparation = {
      firstKeptEntryId: 'e8',
      tokensBefore: 9000,
    }
    const answer = await listener({ preparation, branchEntries: entries }, context)
    expect(answer?.compaction).toMatchObject({
      firstKeptEntryId: 'e8',
      tokensBefore: 9000,
      details: { by: 'precis' },
    })
    const summary = answer?.compaction.summary ?? ''
    expect(summary).toContain('MARMALADE-3')
    expect(summary).not.toContain('MARMALADE-4')
    expect(summary.length).toBeLessThan(text.length / 2)
    const [, reference = ''] = /under reference ([0-9a-f]{12})/.exec(summary) ?? []
    expect((await runPrecis(home, ['restore', reference])).stdout).toBe(text)
    const found = await tool.execute('1', { query: 'MARMALADE-2' }, undefined, undefined, context)
    const [, named = '', span = ''] =
      /reference (\w+), span (\d+)/.exec(found.content[0]?.text ?? '') ?? []
    const whole = await tool.execute(
      '2',
      { reference: named, span: Number(span) },
      undefined,
      undefined,
      context,
    )
    expect(whole.content[0]?.text).toContain('MARMALADE-2')

    const compaction = {
      type: 'compaction',
      id: 'c1',
      parentId: 'e11',
      timestamp: HEADER.timestamp,
      ...answer?.compaction,
      fromHook: true,
    }
    const more = createEntries(8)
      .slice(12)
      .map((entry, index) => (index === 0 ? { ...entry, parentId: 'c1' } : entry))
    const again = [...entries, compaction, ...more]
    const second = await listener(
      { preparation: { ...preparation, firstKeptEntryId: 'e14' }, branchEntries: again },
      createContext(home, undefined),
    )
    expect(second?.compaction.summary).toContain('Never touch src/legacy')
    expect(second?.compaction.summary.match(/<conversation-summary/g)).toHaveLength(1)
  })

  test('keeps the request word for word that pi cuts in the middle of', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const { compact: listener } = load(home)
    const [request, ...others] = createEntries(4)
    const answers = others.filter((_, index) => index % 2 === 0)
    const answer = await listener(
      {
        preparation: { firstKeptEntryId: 'e5', tokensBefore: 9000 },
        branchEntries: [request ?? {}, ...answers],
      },
      createContext(home, undefined),
    )
    expect(answer?.compaction.summary).toContain(
      'Step 0: the word is MARMALADE-0. Never touch src/legacy.',
    )
    expect(answer?.compaction.details).toMatchObject({
      request: 'Step 0: the word is MARMALADE-0. Never touch src/legacy.',
    })
  })

  test('gives a record that is longer than a page to its end, and byte for byte', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const long = `giraffe ${'tall and wide, '.repeat(2000)}end of it`
    const [first, ...others] = createEntries(6)
    const entries = [
      { ...first, message: { role: 'user', content: long, timestamp: 0 } },
      ...others,
    ]
    const text = [HEADER, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('')
    const context = createContext(home, writeFixture(join(home, 'session.jsonl'), text))
    const { compact: listener, tool } = load(home)
    await listener(
      { preparation: { firstKeptEntryId: 'e8', tokensBefore: 9000 }, branchEntries: entries },
      context,
    )
    const recall = async (input: object) =>
      (await tool.execute('1', input, undefined, undefined, context)).content[0]?.text ?? ''
    const [, span = ''] = /span (\d+)/.exec(await recall({ query: 'giraffe' })) ?? []
    let pages = await recall({ span: Number(span) })
    expect(pages).not.toContain('end of it')
    while (!pages.includes('end of it')) {
      const [, next = ''] = /"offset": (\d+)\}\.$/.exec(pages) ?? []
      expect(next).not.toBe('')
      pages = await recall({ span: Number(span), offset: Number(next) })
    }
    expect(await recall({ span: 2, raw: true })).toContain(`\n\n${JSON.stringify(entries[1])}\n`)
  })

  test('says what is wrong with a call of the tool, also without a session and without precis', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const { tool } = load(home)
    const nowhere = createContext(home, undefined)
    const recall = async (input: unknown, of = tool) =>
      (await of.execute('1', input, undefined, undefined, nowhere)).content[0]?.text
    expect(await recall({ query: 'giraffe' })).toContain('there is no archive yet')
    expect(await recall({})).toContain('there is no archive yet')
    expect(await recall(undefined)).toContain('there is no archive yet')
    expect(await recall({ query: 'giraffe', span: 1 })).toContain('either "query"')
    const { compact: listener } = load(home)
    await listener(
      {
        preparation: { firstKeptEntryId: 'e8', tokensBefore: 9000 },
        branchEntries: createEntries(6),
      },
      nowhere,
    )
    expect(await recall({ query: 'MARMALADE-2' })).toContain('MARMALADE-2')
    expect(await recall({ reference: 'ffffffffffff', query: 'x' })).toContain(
      'nothing of it is kept',
    )
    const missing = loadPi({ program: '/nowhere', words: [] })
    expect(await recall({ query: 'x' }, missing.tool)).toMatch(/precis gave no answer\. .*ENOENT/)
  })

  test('compacts when precis cannot be started, and names no archive', async () => {
    const { compact } = loadPi({ program: '/nowhere', words: [] })
    const event = {
      preparation: { firstKeptEntryId: 'e8', tokensBefore: 1 },
      branchEntries: createEntries(6),
    }
    const answer = await compact(event, createContext('/tmp', undefined))
    expect(answer?.compaction.summary).toContain('MARMALADE-3')
    expect(answer?.compaction.summary).not.toContain('recall')
  })
})
