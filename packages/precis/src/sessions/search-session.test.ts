import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { runs } from '../../../../test/property-runs.ts'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { geminiCli } from '../agents/gemini-cli/gemini-cli.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { cutExcerpt, searchSession } from './search-session.ts'
import { createTextSearch, createWordSearch } from './text-search.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function search(
  text: string,
  content: string,
  agent: Agent = claudeCode,
  name = 'session.jsonl',
) {
  return (await searchWhole(text, content, agent, name)).found
}

function searchWhole(
  text: string,
  content: string,
  agent: Agent = claudeCode,
  name = 'session.jsonl',
) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return searchSession(
    { agent, id: 'a', shortId: 'a', path, bytes: content.length, modified: new Date(0) },
    createTextSearch(text),
  )
}

const userLine = (content: unknown, more: object = {}) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content }, ...more })}\n`

describe('a search in a session', () => {
  test('tells the damaged lines of one that has the text, and else those that may have it', async () => {
    const content = `${userLine('alpha')}{"type":"user","message":"omega\n${userLine('beta')}{"type":"us delta`
    const whole = { lines: 0, lineNumbers: [], cutOffBytes: 0 }
    const all = { lines: 1, lineNumbers: [2], cutOffBytes: 17 }
    expect(await searchWhole('alpha', content)).toMatchObject({ found: { count: 1 }, damage: all })
    expect(await searchWhole('omega', content)).toEqual({
      found: undefined,
      damage: { ...all, cutOffBytes: 0 },
    })
    expect(await searchWhole('delta', content)).toEqual({
      found: undefined,
      damage: { ...whole, cutOffBytes: 17 },
    })
    expect(await searchWhole('gamma', content)).toEqual({ found: undefined, damage: whole })
  })

  test('for words finds a text that has each of them, in any order', async () => {
    const content =
      userLine('the gateway is slow') + userLine('a tax') + userLine('Tax of the GATEWAY')
    const path = join(folder, 'words.jsonl')
    writeFileSync(path, content)
    const file = {
      agent: claudeCode,
      id: 'a',
      shortId: 'a',
      path,
      bytes: content.length,
      modified: new Date(0),
    }
    expect((await searchSession(file, createWordSearch(['tax', 'gateway']))).found).toEqual({
      count: 1,
      places: [{ record: 3, excerpt: 'Tax of the GATEWAY' }],
    })
    expect((await searchSession(file, createWordSearch(['tax', 'slow']))).found).toBeUndefined()
  })

  test('ends at the first text where one is enough, and with what is found where it is ended', async () => {
    const content = userLine('again').repeat(10)
    const path = join(folder, 'ended.jsonl')
    writeFileSync(path, content)
    const file = {
      agent: claudeCode,
      id: 'a',
      shortId: 'a',
      path,
      bytes: content.length,
      modified: new Date(0),
    }
    const search = createTextSearch('again')
    expect((await searchSession(file, search, { isOneEnough: true })).found?.count).toBe(1)
    expect(
      (await searchSession(file, search, { signal: AbortSignal.abort() })).found,
    ).toBeUndefined()
  })

  test('shows no secret that stands near the place, however long the text is', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`
    const found = await search(
      'needle',
      userLine(`${'x '.repeat(100_000)}${key} needle ${key}${' y'.repeat(100_000)}`),
    )
    expect(found?.places[0]?.excerpt).toContain('needle')
    expect(found?.places[0]?.excerpt).not.toContain('ghp_a1')
  })

  test('finds what was said in small and large letters, and tells line and words around', async () => {
    const content =
      userLine('nothing') + userLine('It says\nError: Connection REFUSED by db\nand ends')
    expect(await search('connection refused', content)).toEqual({
      count: 1,
      places: [{ record: 2, excerpt: 'Error: Connection REFUSED by db' }],
    })
    expect(await search('connection accepted', content)).toBeUndefined()
  })

  test.each([
    ['a quote', 'say "hello" twice', 'SAY "HELLO"'],
    ['a line break', 'first line\nsecond line', 'line\nsecond'],
    ['a backslash', 'C:\\work\\shop', 'work\\shop'],
    ['an umlaut', 'größer als über', 'GRÖSSER ALS ÜBER'.replace('SS', 'ß')],
    ['only signs that are not plain', '日本語テキスト', '本語'],
    ['an angle bracket', 'a <b> c', '<b>'],
  ])('finds %s as it is read, however JSON writes it', async (_, said, wanted) => {
    const escaped = userLine(said).replace(/[^\x20-\x7e\n]|[<>]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
    expect((await search(wanted, userLine(said)))?.count).toBe(1)
    expect((await search(wanted, escaped))?.count).toBe(1)
  })

  test('finds what the bytes of JSON say only when somebody said it', async () => {
    const content = userLine('x', { uuid: 'deadbeef', cwd: '/work/secret', gitBranch: 'main' })
    for (const frame of ['deadbeef', '/work/secret', 'main', 'tool_use', '"role"', 'content']) {
      expect(await search(frame, content)).toBeUndefined()
    }
  })

  test('finds nothing in base64, signatures and second copies', async () => {
    const data = Buffer.from('needle '.repeat(200)).toString('base64')
    const wanted = data.slice(300, 312)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    expect(await search(wanted, userLine([image]))).toBeUndefined()
    expect(
      await search(wanted, userLine([{ type: 'image_url', url: `data:image/png;base64,${data}` }])),
    ).toBeUndefined()
    expect(
      await search(wanted, userLine([{ type: 'thinking', thinking: '', signature: data }])),
    ).toBeUndefined()
    const result = userLine([{ type: 'tool_result', tool_use_id: 't', content: 'the needle' }], {
      toolUseResult: { stdout: 'the needle' },
    })
    expect((await search('needle', result))?.count).toBe(1)
  })

  test('looks into the arguments of calls, which are JSON in JSON', async () => {
    const call = {
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ command: 'grep "a b"\nls' }),
    }
    const content = `${JSON.stringify({ type: 'response_item', payload: call })}\n`
    expect((await search('"a b"\nls', content, codex))?.count).toBe(1)
    const event = { type: 'event_msg', payload: { type: 'agent_message', message: 'twice' } }
    expect(await search('twice', `${JSON.stringify(event)}\n`, codex)).toBeUndefined()
  })

  test('reads an object over many lines, and a line that never ended', {
    tags: 'slow',
  }, async () => {
    const chat = {
      sessionId: 'a',
      messages: [
        { type: 'user', content: 'one' },
        { type: 'gemini', content: 'two' },
      ],
    }
    const found = await search('two', JSON.stringify(chat, undefined, 2), geminiCli, 'chat.json')
    expect(found).toEqual({ count: 1, places: [{ record: 2, excerpt: 'two' }] })
    expect(
      (await search('one', `${userLine('one')}{"type":"user","message":{"content":"one`))?.count,
    ).toBe(1)
    expect((await search('last', userLine('last').trimEnd()))?.count).toBe(1)
  })

  test('counts all and shows the first three', async () => {
    const found = await search('again', userLine('again').repeat(10))
    expect(found?.count).toBe(10)
    expect(found?.places.map(({ record }) => record)).toEqual([1, 2, 3])
  })

  test('finds what stands across and behind the blocks in which a file is read', {
    tags: 'slow',
  }, async () => {
    const long = 'x'.repeat(3 << 20)
    const content =
      userLine(`${long} in a long line`) +
      userLine('between').repeat(20_000) +
      userLine('in the end')
    expect((await search('in a long line', content))?.places[0]?.record).toBe(1)
    expect((await search('in the end', content))?.places[0]?.record).toBe(20_002)
    expect((await search('between', content))?.count).toBe(20_000)
    const padding = 'y'.repeat((1 << 20) - 80)
    for (let length = 0; length < 80; length += 13) {
      const messages = [{ type: 'user', content: `${padding}${'z'.repeat(length)} across blocks` }]
      const document = JSON.stringify({ messages })
      expect((await search('across blocks', document, geminiCli, 'chat.json'))?.count).toBe(1)
    }
  })

  test('tells of lines that are too long to be read', { tags: 'slow' }, async () => {
    const content = `${userLine('x'.repeat(33 << 20))}${userLine('after')}`
    expect(await searchWhole('after', content)).toMatchObject({
      found: { count: 1, places: [{ record: 2 }] },
      leftOut: 'lines above 32 MB',
    })
  })

  test('does no harm with what is no session: deep nesting, prototype keys, a folder, no file', async () => {
    const deep = `{"type":"user","message":${'{"a":'.repeat(3000)}"needle"${'}'.repeat(3000)}}\n`
    expect((await search('needle', deep))?.count).toBe(1)
    expect((await search('needle', '{"__proto__":{"content":"needle"}}\n'))?.count).toBe(1)
    expect(await search('needle', '[1,2,"needle"]\nneedle\n')).toBeUndefined()
    const gone = {
      agent: codex,
      id: 'a',
      shortId: 'a',
      path: join(folder, 'gone.jsonl'),
      bytes: 0,
      modified: new Date(0),
    }
    expect((await searchSession(gone, createTextSearch('a'))).found).toBeUndefined()
    expect(
      (await searchSession({ ...gone, path: folder }, createTextSearch('a'))).found,
    ).toBeUndefined()
  })

  test('finds in any text each of its parts', { tags: 'property' }, async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat(), async (said, from, length) => {
        const characters = Array.from(said)
        const start = from % characters.length
        const part = characters
          .slice(start, start + 1 + (length % (characters.length - start)))
          .join('')
        // A sigma at the end of a word is another one in small letters.
        fc.pre(said.toLowerCase().includes(part.toLowerCase()))
        expect((await search(part, userLine(said)))?.count).toBe(1)
      }),
      { numRuns: runs(200) },
    )
  })

  test.each([
    ['Größe', 'GRÖSSE GRÖßE größe'],
    ['ölßtür', 'ÖLẞTÜR'],
    ['переменная', 'ПЕРЕМЕННАЯ'],
    ['οδοσ', 'οδοσ ΟΔΟΣ'],
    ['日本語', '日本語'],
    ['😀 so', '😀 so'],
    ['\u00e5', 'in \u212b'],
  ])('looks for %s in bytes, whether they are UTF-8 or escaped', async (wanted, said) => {
    const { findCandidate, find } = createTextSearch(wanted)
    const spell = (render: (hex: string) => string) =>
      JSON.stringify(said).replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${render(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`,
      )
    for (const json of [
      JSON.stringify(said),
      spell((hex) => hex),
      spell((hex) => hex.toUpperCase()),
    ]) {
      expect(find(JSON.parse(json))).toBeGreaterThanOrEqual(0)
      expect(findCandidate(Buffer.from(json), 0)).toBeGreaterThanOrEqual(0)
      expect(findCandidate(Buffer.from(json.slice(0, 2)), 0)).toBe(-1)
    }
    expect(findCandidate(Buffer.from('"Groesse, Oel und Tuer \\u00e6"'), 0)).toBe(-1)
  })

  test('looks for every letter in bytes by its small form, except for the Kelvin sign', () => {
    const missed = Array.from({ length: 0x1_ffff }, (_, code) => String.fromCodePoint(code)).filter(
      (letter) => {
        const small = letter.toLowerCase()
        if (letter === small || letter === '\u0130') return false
        const { findCandidate } = createTextSearch(`${small}x`)
        return findCandidate(Buffer.from(`"${letter}x"`), 0) < 0
      },
    )
    expect(missed).toEqual(['\u212a'])
  })

  test('takes time with the bytes, not with what repeats in them', { tags: 'slow' }, async () => {
    const look = (length: number) => {
      const json = Buffer.alloc(length, 'a')
      const part = 'a'.repeat(length / 8)
      expect(createTextSearch(`${part}b`).findCandidate(json, 0)).toBe(0)
      expect(createTextSearch(`b${part}`).findCandidate(json, 0)).toBe(-1)
    }
    await expectLinearGrowth((length) => length, look, 16_000)
  })
})

describe('an excerpt', () => {
  test('is the line, cut around the place', () => {
    expect(cutExcerpt('one\ntwo needle three\nfour', 8, 6)).toBe('two needle three')
    const long = `${'a '.repeat(500)}needle${' b'.repeat(500)}`
    expect(cutExcerpt(long, 1000, 6)).toMatch(/^…(?:a )+needle(?: b)+…$/)
    expect(cutExcerpt(long, 1000, 6).length).toBeLessThan(220)
  })
})
