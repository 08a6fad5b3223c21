import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '@precis/core/conversation'
import { detectFormat, formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = createUuid(7)
const PROMPT = 'Fix the tax in cart.ts, and never touch the lock file'

function createSession(
  home: string,
  text = createClaudeSession({ sessionId: ID, firstPrompt: PROMPT }),
) {
  return writeFixture(join(home, '.claude/projects/-work-shop', `${ID}.jsonl`), text)
}

/** Where each agent looks for the sessions of /work/shop. */
const PLACES = {
  codex: /\.codex\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-.+\.jsonl$/,
  'gemini-cli': /\.gemini\/tmp\/shop\/chats\/session-.+\.jsonl$/,
  opencode: /\.local\/share\/opencode\/precis\/ses_.+\.json$/,
  pi: /\.pi\/agent\/sessions\/--work-shop--\/.+\.jsonl$/,
}
const RESUMES = {
  codex: 'cd /work/shop && codex resume ',
  'gemini-cli': 'cd /work/shop && gemini --resume ',
  opencode: 'cd /work/shop && opencode import ',
  pi: 'cd /work/shop && pi --session ',
}
const targets = ['codex', 'gemini-cli', 'opencode', 'pi'] as const

describe('precis compress --to', () => {
  test.each(casesOf(targets))(
    'places a session of Claude Code where %s finds it, whole',
    { tags: 'property' },
    async (target) => {
      const home = createHome()
      const path = createSession(home)
      const before = { text: readFileSync(path), modified: statSync(path).mtimeMs }
      const report = await runJson(home, ['compress', ID, '--to', target, '--budget', '200k'])
      expect(report).toMatchObject({ format: target, convertedFrom: 'claude-code', input: path })
      expect(report.output).toMatch(PLACES[target])
      expect(report.resumeCommand.startsWith(RESUMES[target])).toBe(true)
      expect(report.losses).toContainEqual({ kind: 'token-usage', name: 'record', count: 36 })
      const bytes = readFileSync(report.output)
      expect(detectFormat(bytes)).toBe(target)
      const from = formats['claude-code'].parse(before.text)
      const { messages } = formats[target].parse(bytes)
      expect(messages.map(readText).filter(Boolean)).toEqual(
        from.messages.map(readText).filter(Boolean),
      )
      expect({ text: readFileSync(path), modified: statSync(path).mtimeMs }).toEqual(before)
    },
  )

  test.each(targets)('compresses on the way to %s, within the budget', async (target) => {
    const home = createHome()
    createSession(home)
    const { code, stdout } = await runPrecis(home, [
      'compress',
      ID,
      '--to',
      target,
      '--budget',
      '30%',
      '--json',
    ])
    expect(code).toBe(0)
    const { output, budgetTokens, after, archive } = JSON.parse(stdout)
    expect(after.tokens).toBeLessThanOrEqual(budgetTokens)
    expect(archive.spans).toBeGreaterThan(0)
    const { messages } = formats[target].parse(readFileSync(output))
    expect(messages.map(readText).join('\n')).toContain('never touch the lock file')
    const restored = await runPrecis(home, ['restore', output])
    expect(restored.stdout).toBe(createClaudeSession({ sessionId: ID, firstPrompt: PROMPT }))
  })

  test('refuses an agent whose sessions precis only reads', async () => {
    const { code, stderr } = await runPrecis(createHome(), ['compress', ID, '--to', 'cursor'])
    expect(code).toBe(2)
    expect(stderr).toContain('cline, qwen-code')
    expect(stderr).not.toContain('cursor,')
  })

  test('says what the other agent cannot hold', async () => {
    const home = createHome()
    createSession(home)
    const { code, stdout } = await runPrecis(home, [
      'compress',
      ID,
      '--to',
      'codex',
      '--budget',
      '200k',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('not in the session of Codex (the original keeps it)')
    expect(stdout).toContain('36 token counts: only true of the old requests')
    expect(stdout).toContain('Continue in Codex:')
  })

  test('writes a file where one is asked for, and prints nothing to resume', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    createSession(home)
    const out = join(home, 'rollout.jsonl')
    expect(await runJson(home, ['compress', ID, '--to', 'codex', '--out', out])).toMatchObject({
      output: out,
      format: 'codex',
    })
    expect(detectFormat(readFileSync(out))).toBe('codex')
    expect(readdirSync(home)).not.toContain('.codex')
  })

  test('a dry run writes nothing and lists the losses', { tags: 'slow' }, async () => {
    const home = createHome()
    createSession(home)
    expect(await runJson(home, ['compress', ID, '--to', 'pi', '--dry-run'])).toMatchObject({
      output: null,
      convertedFrom: 'claude-code',
    })
    expect(readdirSync(home)).toEqual(['.claude'])
  })

  test('to the agent it is of already, it is compressed as ever', { tags: 'slow' }, async () => {
    const home = createHome()
    createSession(home)
    expect(await runJson(home, ['compress', ID, '--to', 'claude-code'])).not.toHaveProperty(
      'convertedFrom',
    )
  })

  test("a provider's messages become a session of the agent", async () => {
    const home = createHome()
    const body = {
      model: 'gpt-5',
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'yes' },
      ],
    }
    const path = writeFixture(join(home, 'request.json'), JSON.stringify(body))
    const { output } = await runJson(
      home,
      ['compress', path, '--to', 'claude-code', '--budget', '10k'],
      {
        directory: home,
      },
    )
    expect(formats['claude-code'].parse(readFileSync(output)).messages.map(readText)).toEqual([
      'hello',
      'yes',
    ])
    expect(readFileSync(output, 'utf8')).toContain('hello (from openai-chat)')
  })

  test('a session of Codex goes into Claude Code', { tags: 'slow' }, async () => {
    const home = createHome()
    writeFixture(
      join(home, `.codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-${ID}.jsonl`),
      createCodexSession({ sessionId: ID }),
    )
    const { output, resumeCommand } = await runJson(home, ['compress', ID, '--to', 'claude-code'])
    expect(output).toMatch(/\.claude\/projects\/-work-shop\/[0-9a-f-]{36}\.jsonl$/)
    expect(resumeCommand).toContain('claude --resume')
  })

  describe.each([
    ['opencode', 'OpenCode'],
    ['pi', 'pi'],
  ])('the model that %s goes on with', (target, name) => {
    const recorded = 'anthropic/claude-opus-4-5-20251101'
    const convert = async (
      files: Readonly<Record<string, unknown>>,
      environment: Record<string, string> = {},
    ) => {
      const home = createHome()
      createSession(home)
      for (const [path, value] of Object.entries(files))
        writeFixture(join(home, path), JSON.stringify(value))
      const run = ['compress', ID, '--to', target, '--budget', '200k', '--json']
      const { stdout } = await runPrecis(home, run, { environment })
      const { continuesWith, continuesWithNote, resumeCommand } = JSON.parse(stdout)
      return { continuesWith, continuesWithNote, flag: / --model (.*)$/.exec(resumeCommand)?.[1] }
    }
    const auth = target === 'pi' ? '.pi/agent/auth.json' : '.local/share/opencode/auth.json'
    const own =
      target === 'pi'
        ? {
            '.pi/agent/models.json': {
              providers: { fake: { apiKey: 'x', models: [{ id: 'm 1' }, { id: 'm2' }] } },
            },
          }
        : {
            '.config/opencode/opencode.json': {
              provider: {
                fake: { npm: 'x', models: { 'm 1': {}, m2: {} } },
                anthropic: { options: { timeout: 1 } },
              },
            },
          }

    test('is that of the session where a key for it is there', { tags: 'slow' }, async () => {
      const expected = {
        continuesWith: recorded,
        continuesWithNote: `${name} goes on with ${recorded}.`,
      }
      expect(await convert({}, { ANTHROPIC_API_KEY: 'x' })).toEqual({
        ...expected,
        flag: undefined,
      })
      expect(await convert({ [auth]: { anthropic: { type: 'api' } } })).toEqual({
        ...expected,
        flag: undefined,
      })
    })

    test('is named in the command where only another one is configured', async () => {
      const { continuesWith, continuesWithNote, flag } = await convert(own)
      expect({ continuesWith, flag }).toEqual({ continuesWith: 'fake/m 1', flag: "'fake/m 1'" })
      expect(continuesWithNote).toContain(`${recorded}, which the session was with, is not`)
      const settings =
        target === 'pi'
          ? { '.pi/agent/settings.json': { defaultProvider: 'fake', defaultModel: 'm2' } }
          : {
              '.local/state/opencode/model.json': {
                recent: [{ providerID: 'fake', modelID: 'm2' }],
              },
            }
      expect((await convert({ ...own, ...settings })).flag).toBe('fake/m2')
    })

    test('is left to the agent where nothing tells the models of what is configured', async () => {
      const { continuesWith, continuesWithNote, flag } = await convert({}, { OPENAI_API_KEY: 'x' })
      expect({ continuesWith, flag }).toEqual({ continuesWith: null, flag: undefined })
      expect(continuesWithNote).toContain('--model openai/<model>')
    })

    test('has to be configured where nothing is', async () => {
      const { continuesWith, continuesWithNote } = await convert({})
      expect(continuesWith).toBe(null)
      expect(continuesWithNote).toMatch(
        /^\w+ has no provider configured on this machine. First set ANTHROPIC_API_KEY, or run/,
      )
    })
  })

  test('the provider that pi recorded is the one OpenCode goes on with', async () => {
    const home = createHome()
    const at = { timestamp: '2026-06-07T08:09:10.000Z' }
    const served = { api: 'openai-completions', provider: 'fake', model: 'm1', stopReason: 'stop' }
    const text = (words: string) => [{ type: 'text', text: words }]
    const lines = [
      { type: 'session', version: 3, id: ID, cwd: '/work/shop', ...at },
      {
        type: 'message',
        id: 'a',
        parentId: null,
        ...at,
        message: { role: 'user', content: text('hello') },
      },
      {
        type: 'message',
        id: 'b',
        parentId: 'a',
        ...at,
        message: { role: 'assistant', content: text('yes'), ...served },
      },
    ]
    const path = writeFixture(
      join(home, 'pi.jsonl'),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
    const { continuesWith, continuesWithNote, output } = await runJson(home, [
      'compress',
      path,
      '--to',
      'opencode',
      '--budget',
      '10k',
    ])
    expect(continuesWith).toBe(null)
    expect(continuesWithNote).toContain('describe fake in opencode.json')
    const { messages } = JSON.parse(readFileSync(output, 'utf8'))
    expect(messages[0].info.model).toEqual({ providerID: 'fake', modelID: 'm1' })
    expect(messages[1].info).toMatchObject({ providerID: 'fake', modelID: 'm1' })
  })

  test('an agent with a model of its own is said to go on with none, and has a short name too', async () => {
    const home = createHome()
    createSession(home)
    const { code, stdout } = await runPrecis(home, [
      'compress',
      ID,
      '--to',
      'gemini',
      '--budget',
      '200k',
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'gemini-cli' })
    expect(JSON.parse(stdout)).not.toHaveProperty('continuesWith')
  })

  test('an agent that takes in no other sessions is refused before any work', async () => {
    const home = createHome()
    createSession(home)
    const { code, stderr } = await runPrecis(home, ['compress', ID, '--to', 'openai-chat'])
    expect(code).toBe(2)
    expect(stderr).toContain('claude-code')
  })
})
