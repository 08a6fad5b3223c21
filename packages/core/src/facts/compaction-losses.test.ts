import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import {
  type Conversation,
  createSyntheticMessage,
  type Message,
  readText,
} from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import {
  findCompactionLosses,
  findLostSentences,
  findLostWords,
  restoreLosses,
} from './compaction-losses.ts'
import { parseLedger } from './ledger-record.ts'
import { readUserWords } from './user-words.ts'

const LIMIT = { limitCharacters: 10_000 }
const say = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})
const answer = (text: string): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'text', text }],
})
const hold = (...messages: Message[]): Conversation => ({
  protocol: 'anthropic-messages',
  messages,
  tools: [],
})
const POOR = createSyntheticMessage('user', 'They worked on it.')

/** As an agent does it: a summary, its newest messages, and what was put back. */
function compact(
  before: Conversation,
  keptMessages = 0,
  limitCharacters = LIMIT.limitCharacters,
): Conversation {
  const restored = restoreLosses(findCompactionLosses({ before, after: [] }), { limitCharacters })
  const kept = keptMessages === 0 ? [] : before.messages.slice(-keptMessages)
  return hold(POOR, ...kept, ...(restored ? [restored] : []))
}

const wordsOf = ({ messages }: Conversation) =>
  readUserWords(messages).words.map(({ text }) => text)

describe('what a compaction lost', () => {
  const before = hold(
    say('Never touch src/legacy'),
    answer('I decided to use Redis.'),
    say('Go on with src/a.ts'),
  )

  test('is counted by messages of the user and by facts', () => {
    const { words, facts } = findCompactionLosses({ before, after: [POOR] })
    expect(words).toEqual({ total: 2, gone: 2 })
    expect(facts.gone).toBe(facts.total)
    expect(facts.total).toBeGreaterThan(1)
  })

  test('has the same words if only words are looked for', () => {
    const { words, ledger } = findCompactionLosses({ before, after: [POOR] })
    expect(findLostWords({ before, after: [POOR] })).toEqual({ words, ledger })
  })

  test('is not what the summary quotes, whatever its white space', () => {
    const quoting = createSyntheticMessage('user', 'The user said: "Never touch\n  src/legacy".')
    expect(findCompactionLosses({ before, after: [quoting] }).words).toEqual({ total: 2, gone: 1 })
  })

  test('is not what the agent keeps, or what is put back', () => {
    expect(findCompactionLosses({ before, after: before.messages })).toMatchObject({
      words: { gone: 0 },
      facts: { gone: 0 },
    })
    const { messages } = compact(before)
    expect(findCompactionLosses({ before, after: messages }).words.gone).toBe(0)
  })

  test('is told by what was typed in one line, then by how several lines begin', () => {
    const review = 'Low severity\n\nThe result should be cached.\nIt must not grow.'
    const log = '2026-11-27 10:00 ERROR src/a.ts failed\nIt should not fail.'
    const said = hold(
      say('Always run the tests. Is it fast?'),
      say(review),
      say('Why is it slow?'),
      say(log),
      say('Never touch src/legacy.'),
      say('I mean this:\n\nThe cache must be empty.'),
      say('2026-11-27 10:00 ERROR src/a.ts should not fail'),
    )
    const { ledger } = findLostWords({ before: said, after: [POOR] })
    const texts = findLostSentences(ledger).map((group) => group.map(({ text }) => text))
    expect(texts).toEqual([
      ['Never touch src/legacy.', 'Always run the tests.'],
      ['Why is it slow?'],
      ['I mean this:', 'Low severity'],
    ])
  })

  test('has the words of before earlier compactions, where the history is known', () => {
    const history = [say('The word is MARMALADE'), ...before.messages]
    const { words, ledger } = findCompactionLosses({ before, history, after: [POOR] })
    expect(words).toEqual({ total: 3, gone: 3 })
    expect(ledger.words[0]?.text).toBe('The word is MARMALADE')
  })
})

describe('what is put back', () => {
  test.each([0, 1, 2, 3])('is there once after three compactions that keep %d messages', (kept) => {
    let conversation = hold(say('Never touch src/legacy'), answer('Fine.'), say('continue'))
    for (const round of [1, 2, 3]) {
      conversation = compact(conversation, kept)
      conversation = hold(
        ...conversation.messages,
        say(`round ${round}`),
        answer(`Done with ${round}.`),
      )
    }
    expect(wordsOf(conversation)).toEqual([
      'Never touch src/legacy',
      'continue',
      'round 1',
      'round 2',
      'round 3',
    ])
  })

  test('is no longer than the agent takes, and counts what it has no room for', () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      say(`Request ${index}: ${'words and more words '.repeat(9)}😀`),
    )
    let conversation = hold(...many)
    for (const _ of [1, 2, 3]) {
      conversation = compact(conversation, 0, 4000)
      const text = readText(conversation.messages.at(-1) ?? POOR)
      expect(text.length).toBeLessThanOrEqual(4000)
      expect(text.length).toBeGreaterThan(2000)
      const { words, omitted } = parseLedger(
        readLedgerText(conversation.messages.at(-1) ?? POOR) ?? '',
      )
      expect(words.length + omitted.count).toBe(400)
      expect(words.at(-1)?.turn).toBe(400)
    }
  })

  test('names facts of the agent, and how the rest is looked up', () => {
    const before = hold(
      say('Go on'),
      answer('I decided to use the port 5432 of db.example.com in src/store/client.ts.'),
    )
    const losses = findCompactionLosses({ before, after: [] })
    const text = readText(
      restoreLosses(losses, { ...LIMIT, recall: { tool: 'recall', reference: 'abc123' } }) ?? POOR,
    )
    expect(text).toContain('path: src/store/client.ts')
    expect(text).toContain('under reference abc123')
    const again = findCompactionLosses({ before: compact(before), after: [] })
    expect(again.weightiest.some(({ text }) => text === 'abc123')).toBe(false)
  })

  test('is nothing where nothing was lost', () => {
    const before = hold(say('Go on'), answer('Fine.'))
    expect(
      restoreLosses(findCompactionLosses({ before, after: before.messages }), LIMIT),
    ).toBeUndefined()
  })

  test.each([
    ['no', 'It is now known.'],
    ['B', 'Before, all was well.'],
    ['3', 'Version 13 works.'],
  ])('%j is gone if it is only a part of a word', (said, summary) => {
    const before = hold(say(said), answer('Fine.'))
    const gone = (text: string) =>
      findLostWords({ before, after: [createSyntheticMessage('user', text)] }).words.gone
    expect(gone(summary)).toBe(1)
    expect(gone(`${summary} They said: ${said}.`)).toBe(0)
  })

  test.each([
    ['no', 'There are no errors.', '- "no"'],
    ['yes', 'The user said yes to both designs.', 'User: yes'],
    ['go on', 'I will go on with it.', '[2] Go on, then\n\ngo on'],
    ['3', '1. One\n2. Two\n3. Three\n> [3] It is done.', '> [2, answer to: Which?] 3'],
    ['B', 'A. One\nB. Two and Option B', 'Chosen: **B**'],
    ['好', '用户说好的东西', '用户：好'],
  ])('%j is said only where it stands alone', (said, summary, quoted) => {
    const before = hold(say(said), answer('Fine.'))
    const gone = (text: string) =>
      findLostWords({ before, after: [createSyntheticMessage('user', text)] }).words.gone
    expect(gone(summary)).toBe(1)
    expect(gone(`${summary}\n${quoted}`)).toBe(0)
  })

  test('long words in longer ones are looked for in linear time', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (size) => ({
        before: hold(say('a'.repeat(size)), answer('Fine.')),
        after: [createSyntheticMessage('user', `b${'a'.repeat(3 * size)} ${'_ '.repeat(size)}b`)],
      }),
      findLostWords,
      4_000,
    )
  })

  test('words of a script without spaces are anywhere', () => {
    const before = hold(say('不要推送'), answer('好'))
    const after = [createSyntheticMessage('user', '用户说不要推送到主分支')]
    expect(findLostWords({ before, after }).words.gone).toBe(0)
    const thai = hold(say('ห้ามพุชโค้ด'), answer('ค่ะ'))
    const told = [createSyntheticMessage('user', 'ผู้ใช้บอกว่าห้ามพุชโค้ดไปยังสาขาหลัก')]
    expect(findLostWords({ before: thai, after: told }).words.gone).toBe(0)
  })
})
