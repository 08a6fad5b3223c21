import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { readText } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = createUuid(7)
const TEXT = createClaudeSession({ sessionId: ID })
/** The words that `goOn` adds. */
const ADDED = ['and the shipping?', 'It is free.']

async function compressed(words: readonly string[] = []) {
  const home = createHome()
  const original = writeFixture(join(home, '.claude/projects/-work-shop', `${ID}.jsonl`), TEXT)
  const { output } = await runJson(home, ['compress', ID, '--budget', '30%', ...words])
  return { home, original, output: String(output) }
}

/** What Claude Code adds when it continues. */
function goOn(path: string, question = 'and the shipping?'): void {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const last: { uuid: string; sessionId: string } = JSON.parse(lines.at(-1) ?? '')
  const fixed = {
    isSidechain: false,
    userType: 'external',
    cwd: '/work/shop',
    version: '2.1.110',
    sessionId: last.sessionId,
  }
  const [first, second] = [createUuid(lines.length + 9000), createUuid(lines.length + 9001)]
  const timestamp = '2026-05-01T00:00:00.000Z'
  const user = {
    parentUuid: last.uuid,
    ...fixed,
    type: 'user',
    message: { role: 'user', content: question },
    uuid: first,
    timestamp,
  }
  const message = {
    id: `msg_${first}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-5',
    content: [{ type: 'text', text: 'It is free.' }],
  }
  const answer = {
    parentUuid: first,
    ...fixed,
    type: 'assistant',
    message,
    uuid: second,
    timestamp,
  }
  appendFileSync(path, `${JSON.stringify(user)}\n${JSON.stringify(answer)}\n`)
}

const TITLE = `${JSON.stringify({ type: 'custom-title', customTitle: 'the gateway' })}\n`
const read = (text: string) => formats['claude-code'].parse(text).messages.map(readText)
const textsOf = (path: string) => read(readFileSync(path, 'utf8'))

describe('precis undo', () => {
  test('where nothing was added, the original is what goes on', async () => {
    const { home, original, output } = await compressed()
    expect(await runJson(home, ['undo', output])).toMatchObject({
      action: 'original',
      state: 'same',
      output: original,
      addedMessages: 0,
      resumeCommand: `cd /work/shop && claude --resume ${ID}`,
    })
    expect(readFileSync(original, 'utf8')).toBe(TEXT)
  })

  test('names no command for an original where its agent does not look', async () => {
    const home = createHome()
    const original = writeFixture(join(home, 'copy.jsonl'), TEXT)
    const { output } = await runJson(home, ['compress', original])
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({ action: 'original', output: original })
    expect(undone).not.toHaveProperty('resumeCommand')
  })

  test('names no command for an id that no agent gave', async () => {
    const home = createHome()
    const text = createClaudeSession({ sessionId: 'x; touch hacked #\u001b[2J' })
    const original = writeFixture(join(home, '.claude/projects/-work-shop', `${ID}.jsonl`), text)
    const { output } = await runJson(home, ['compress', ID, '--budget', '30%'])
    const { code, stdout } = await runPrecis(home, ['undo', output])
    expect(code).toBe(0)
    expect(stdout).toContain(basename(original))
    expect(stdout).not.toContain('touch')
    expect(stdout).not.toContain('\u001b')
  })

  test('says when the original went on by itself', async () => {
    const { home, original, output } = await compressed()
    goOn(original)
    const { stdout } = await runPrecis(home, ['undo', output])
    expect(stdout).toContain('The original is still there, and was continued')
    expect(stdout).toContain(`claude --resume ${ID}`)
  })

  test('puts an original that is gone back, byte for byte and private', async () => {
    const { home, original, output } = await compressed()
    rmSync(original)
    const dry = await runPrecis(home, ['undo', output, '--dry-run'])
    expect(dry.stdout).toMatch(/Would write the original \(.+\), whose file was missing: /)
    expect(existsSync(original)).toBe(false)
    expect(await runJson(home, ['undo', output])).toMatchObject({
      action: 'put-back',
      state: 'gone',
      output: original,
    })
    expect(readFileSync(original, 'utf8')).toBe(TEXT)
    expect(statSync(original).mode & 0o777).toBe(0o600)
  })

  test('what was added goes behind the whole original, in a new session', async () => {
    const { home, original, output } = await compressed()
    goOn(output)
    const before = readFileSync(output, 'utf8')
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({
      action: 'joined',
      addedMessages: 2,
      keepsRecords: true,
      removed: false,
    })
    expect([original, output]).not.toContain(undone.output)
    expect(textsOf(undone.output)).toEqual([...textsOf(original), ...ADDED])
    expect(undone.resumeCommand).toMatch(/^cd \/work\/shop && claude --resume [0-9a-f-]{36}$/)
    expect(readFileSync(original, 'utf8')).toBe(TEXT)
    expect(readFileSync(output, 'utf8')).toBe(before)
  })

  test('the new session is found by its agent, and can be compressed and undone again', {
    tags: 'slow',
  }, async () => {
    const { home, original, output } = await compressed()
    goOn(output)
    const first = await runJson(home, ['undo', output])
    const again = await runJson(home, ['compress', first.output])
    goOn(again.output, 'one more?')
    const second = await runJson(home, ['undo', again.output])
    expect(textsOf(second.output)).toEqual([
      ...textsOf(original),
      ...ADDED,
      'one more?',
      'It is free.',
    ])
  })

  test('of several compressions it takes back the last one', { tags: 'slow' }, async () => {
    const { home, output } = await compressed()
    const second = await runJson(home, ['compress', output, '--budget', '50%'])
    goOn(second.output)
    const undone = await runJson(home, ['undo', second.output])
    expect(textsOf(undone.output)).toEqual([...textsOf(output), ...ADDED])
  })

  test('--remove deletes the compressed session alone, and the archive goes on', async () => {
    const { home, original, output } = await compressed()
    goOn(output)
    const undone = await runJson(home, ['undo', output, '--remove'])
    expect(undone).toMatchObject({ removed: true })
    expect(existsSync(output)).toBe(false)
    expect(readFileSync(original, 'utf8')).toBe(TEXT)
    const collected = await runPrecis(home, ['archive', 'gc'])
    expect(collected.code).toBe(0)
    expect((await runPrecis(home, ['archive', 'verify'])).code).toBe(0)
    expect(textsOf(undone.output)).toHaveLength(textsOf(original).length + 2)
  })

  test('works from the archive alone when both files are gone', async () => {
    const { home, original, output } = await compressed()
    rmSync(original)
    rmSync(output)
    const { code, stdout } = await runPrecis(home, ['undo', output])
    expect(code).toBe(0)
    expect(stdout).toContain('The compressed session is gone.')
    expect(readFileSync(original, 'utf8')).toBe(TEXT)
  })

  test('something else in the place of the original stays there', async () => {
    const { home, original, output } = await compressed()
    const other = createClaudeSession({ sessionId: ID, firstPrompt: 'another one' })
    writeFileSync(original, other)
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({ action: 'put-back', state: 'changed' })
    expect(readFileSync(original, 'utf8')).toBe(other)
    expect(textsOf(undone.output)).toEqual(read(TEXT))
  })

  test('writes to a file, and over no session', async () => {
    const { home, original, output } = await compressed()
    const out = join(home, 'whole.jsonl')
    expect((await runPrecis(home, ['undo', output, '--out', out])).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(TEXT)
    for (const path of [original, output]) {
      expect((await runPrecis(home, ['undo', output, '--out', path])).code).toBe(2)
    }
    expect((await runPrecis(home, ['undo', output, '--out', '-'])).stdout).toBe(TEXT)
  })

  test('what another agent added comes back into the one of the original', async () => {
    const { home, original, output } = await compressed(['--to', 'codex'])
    const item = (role: string, type: string, text: string) =>
      JSON.stringify({
        timestamp: '2026-05-01T00:00:00.000Z',
        type: 'response_item',
        payload: { type: 'message', role, content: [{ type, text }] },
      })
    appendFileSync(
      output,
      `${item('user', 'input_text', 'and the shipping?')}\n${item('assistant', 'output_text', 'It is free.')}\n`,
    )
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({ action: 'joined', format: 'claude-code', addedMessages: 2 })
    expect(textsOf(undone.output)).toEqual([...textsOf(original), ...ADDED])
  })

  test('a session that precis never compressed is refused', async () => {
    const { home } = await compressed()
    const other = writeFixture(
      join(home, 'other.jsonl'),
      createClaudeSession({ sessionId: createUuid(99) }),
    )
    const { code, stderr } = await runPrecis(home, ['undo', other])
    expect(code).toBe(4)
    expect(stderr).toContain('nothing of it is kept')
  })
})

/** Runs the hook that Claude Code runs before it compacts a session. */
async function fireHook(home: string, path: string): Promise<void> {
  const input = {
    hook_event_name: 'PreCompact',
    session_id: basename(path, '.jsonl'),
    transcript_path: path,
  }
  expect(
    (await runPrecis(home, ['hook', 'claude-code'], { stdin: JSON.stringify(input) })).code,
  ).toBe(0)
}

/**
 * What Claude Code writes when it compacts. Everything before it stays in the file, but is no
 * longer sent.
 */
function compact(path: string): void {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const { message: _message, ...last } = JSON.parse(lines.at(-1) ?? '')
  const [first, second] = [createUuid(lines.length + 9000), createUuid(lines.length + 9001)]
  const fixed = { ...last, parentUuid: null }
  const boundary = {
    ...fixed,
    type: 'system',
    subtype: 'compact_boundary',
    uuid: first,
    logicalParentUuid: last.uuid,
  }
  const content =
    'This session is being continued from a previous conversation that ran out of context.'
  const message = { role: 'user', content }
  const summary = {
    ...fixed,
    type: 'user',
    uuid: second,
    parentUuid: first,
    isCompactSummary: true,
    message,
  }
  appendFileSync(path, `${JSON.stringify(boundary)}\n${JSON.stringify(summary)}\n`)
}

describe('after the hook of an agent fired in a session that precis wrote', () => {
  test('undo, restore, diff and sessions still name the original, and recall finds all that was removed', {
    tags: 'slow',
  }, async () => {
    const { home, original, output } = await compressed()
    goOn(output)
    for (const _ of [1, 2]) await fireHook(home, output)
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({ action: 'joined', addedMessages: 2 })
    expect(textsOf(undone.output)).toEqual([...textsOf(original), ...ADDED])
    const id = basename(output, '.jsonl')
    for (const name of [output, id, id.slice(0, 8)]) {
      expect((await runPrecis(home, ['restore', name])).stdout).toBe(TEXT)
    }
    const { originalPath, added } = await runJson(home, ['diff', output])
    expect(originalPath).toBe(original)
    expect(added).toBeGreaterThan(2)
    const listed: { sessions: { id: string; origin?: object }[] } = await runJson(home, [
      'sessions',
    ])
    expect(JSON.stringify(listed)).toContain('"command":"compress"')
    expect(JSON.stringify(listed)).not.toContain('"compact"')
    for (const words of ['shipping', 'Fix the tax']) {
      const { found } = await runJson(home, ['recall', output, words])
      expect(found[0].excerpt).toContain(words)
    }
  })

  test('--remove removes it once all of it is in the new session', async () => {
    const { home, original, output } = await compressed()
    goOn(output)
    await fireHook(home, output)
    compact(output)
    goOn(output, 'after it?')
    const undone = await runJson(home, ['undo', output, '--remove'])
    expect(undone).toMatchObject({ action: 'joined', removed: true })
    expect(existsSync(output)).toBe(false)
    expect(textsOf(undone.output)).toEqual([
      ...textsOf(original),
      ...ADDED,
      expect.stringContaining('This session is being continued'),
      'after it?',
      'It is free.',
    ])
  })

  test('--remove refuses while it holds a title that the original has not', async () => {
    const { home, output } = await compressed()
    appendFileSync(output, TITLE)
    const undone = await runJson(home, ['undo', output, '--remove'])
    expect(undone).toMatchObject({
      removed: false,
      notRemoved: expect.stringContaining('neither in the original'),
    })
    expect(existsSync(output)).toBe(true)
  })

  test('--remove keeps a title that was added along with messages in the archive', {
    tags: 'slow',
  }, async () => {
    const { home, output } = await compressed()
    goOn(output, 'one more thing')
    appendFileSync(output, TITLE)
    const bytes = readFileSync(output, 'utf8')
    const undone = await runJson(home, ['undo', output, '--remove'])
    expect(undone).toMatchObject({ removed: true, keptAs: expect.stringMatching(/^[0-9a-f]{10}$/) })
    expect(existsSync(output)).toBe(false)
    expect((await runPrecis(home, ['restore', undone.keptAs])).stdout).toBe(bytes)
  })

  test('--remove refuses while it holds words that its user took back', async () => {
    const { home, output } = await compressed()
    const before = readFileSync(output, 'utf8')
    goOn(output, 'words that are taken back')
    const branch = readFileSync(output, 'utf8').slice(before.length)
    writeFileSync(output, before)
    goOn(output)
    appendFileSync(output, branch)
    goOn(output, 'asked again')
    // The repeated question is a child of the line before the branch.
    const lines = readFileSync(output, 'utf8').trim().split('\n')
    const leaf: { uuid: string } = JSON.parse(before.trim().split('\n').at(-1) ?? '')
    const again: object = JSON.parse(lines.at(-2) ?? '')
    lines[lines.length - 2] = JSON.stringify({ ...again, parentUuid: leaf.uuid })
    writeFileSync(output, `${lines.join('\n')}\n`)
    compact(output)
    const undone = await runJson(home, ['undo', output, '--remove'])
    expect(undone).toMatchObject({
      removed: false,
      notRemoved: expect.stringContaining('neither in the original'),
    })
    expect(existsSync(output)).toBe(true)
  })

  test('a compaction of the original changes nothing for those made of it before', {
    tags: 'slow',
  }, async () => {
    const { home, original, output } = await compressed()
    await fireHook(home, original)
    compact(original)
    expect((await runPrecis(home, ['restore', output])).stdout).toBe(TEXT)
    expect((await runPrecis(home, ['restore', ID])).stdout).toBe(TEXT)
    // The session that its agent would continue is no longer the original.
    const undone = await runJson(home, ['undo', output])
    expect(undone).toMatchObject({ action: 'put-back', state: 'changed' })
    expect(textsOf(undone.output)).toEqual(read(TEXT))
  })

  test('--remove leaves another document that lies in its place', { tags: 'slow' }, async () => {
    const home = createHome()
    const messages = Array.from({ length: 60 }, (_, turn) => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${turn} ${'word '.repeat(60)}`,
    }))
    const original = writeFixture(join(home, 'chat.json'), JSON.stringify({ messages }))
    const out = join(home, 'small.json')
    expect(
      (await runPrecis(home, ['compress', original, '--budget', '30%', '--out', out])).code,
    ).toBe(0)
    const other = JSON.stringify({
      messages: messages.map(({ role }) => ({ role, content: 'something else' })),
    })
    writeFileSync(out, other)
    const whole = join(home, 'whole.json')
    const { code, stderr } = await runPrecis(home, ['undo', out, '--remove', '--out', whole])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('restore') })
    expect(readFileSync(out, 'utf8')).toBe(other)
  })
})

describe('a session that only its agent compacted', { tags: 'slow' }, () => {
  async function hooked() {
    const home = createHome()
    const path = writeFixture(join(home, '.claude/projects/-work-shop', `${ID}.jsonl`), TEXT)
    await fireHook(home, path)
    return { home, path }
  }

  test('is what goes on where the compaction never came, and is never removed', async () => {
    const { home, path } = await hooked()
    goOn(path)
    const undone = await runJson(home, ['undo', ID, '--remove'])
    expect(undone).toMatchObject({ action: 'original', output: path, removed: false })
    expect(undone.notRemoved).toContain('the session itself')
    expect(textsOf(path).slice(-2)).toEqual(ADDED)
  })

  test('becomes whole again in a new session', async () => {
    const { home, path } = await hooked()
    compact(path)
    goOn(path)
    const undone = await runJson(home, ['undo', ID, '--remove'])
    expect(undone).toMatchObject({ action: 'joined', removed: false })
    expect(existsSync(path)).toBe(true)
    const texts = textsOf(undone.output)
    expect(texts.slice(0, -3)).toEqual(read(TEXT))
    expect(texts.slice(-2)).toEqual(ADDED)
  })

  test('is no session that precis wrote', async () => {
    const { home, path } = await hooked()
    utimesSync(path, new Date(2026, 4, 1), new Date(2026, 4, 1))
    expect((await runPrecis(home, ['sessions', '--json'])).stdout).not.toContain('"compact"')
    const all = await startPrecis(home, ['compress', '--all', '--budget', '30%', '--json'])
    expect(all.code, all.stderr).toBe(0)
    expect(JSON.stringify(JSON.parse(all.stdout))).toMatch(/"compressed":1\b/)
  })
})

describe('a document without an id', () => {
  test('is known by its place: its original is never taken for it', { tags: 'slow' }, async () => {
    const home = createHome()
    const words = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user', content: `question ${turn} ${'word '.repeat(60)}` },
      { role: 'assistant', content: `answer ${turn} ${'word '.repeat(60)}` },
    ])
    const original = writeFixture(
      join(home, 'chat.json'),
      JSON.stringify({ messages: words.flat() }),
    )
    const out = join(home, 'small.json')
    expect(
      (await runPrecis(home, ['compress', original, '--budget', '30%', '--out', out])).code,
    ).toBe(0)
    expect(await runJson(home, ['undo', 'chat.json', '--remove'])).toMatchObject({
      action: 'original',
      output: original,
      removed: true,
      input: out,
    })
    expect(existsSync(original)).toBe(true)
  })
})
