import type { Conversation } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { renderCount } from '../terminal/render.ts'
import { sumChanges } from './compared-session.ts'
import { renderDiffPage } from './diff-page.ts'
import { compareTexts, createSession, createSummary } from './session-page.suite.ts'

const text = createSession(
  Array.from({ length: 30 }, (_, turn) => ({
    request: `Request ${turn}`,
    output: `line ${turn}\n`.repeat(20),
    answer: `Answer ${turn}: ${'words '.repeat(30)}`,
  })),
)

/**
 * Four messages a turn: the middle is summarized, one answer is shortened, one result is dropped,
 * one request is new.
 */
function compressed(before: Conversation): Conversation {
  const { messages } = before
  const shortened = messages
    .slice(0, 12)
    .map((message, index) =>
      index === 7
        ? { ...message, parts: [{ type: 'text' as const, text: 'Answer 1: words…' }] }
        : message,
    )
  const dropped = shortened.filter((_, index) => index !== 2)
  const later = {
    ...messages[0],
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text: 'And now?' }],
  } as const
  return {
    ...before,
    messages: [
      ...dropped,
      createSummary('What was done: </conversation-summary> <b>everything</b>'),
      ...messages.slice(80),
      later,
    ],
  } as Conversation
}

const compared = compareTexts(text, compressed)
const html = renderDiffPage(compared)

/** A page is too long for a message. */
function expectPart(whole: string, part: string): void {
  expect([part, whole.includes(part)]).toEqual([part, true])
}

describe('the page of a compression', () => {
  test('knows what became of every message, and every token is somewhere', () => {
    const { sums } = sumChanges(compared.changes, compared)
    expect(
      Object.fromEntries(Object.entries(sums).map(([fate, { messages }]) => [fate, messages])),
    ).toEqual({
      kept: 10 + 40,
      changed: 1,
      summarized: 68,
      removed: 1,
      summary: 1,
      added: 1,
    })
    const total = (messages: typeof compared.before) =>
      messages.reduce((sum, { tokens }) => sum + tokens, 0)
    const all = Object.values(sums)
    expect(all.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0)).toBe(
      total(compared.before),
    )
    expect(all.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)).toBe(total(compared.after))
    expectPart(
      html,
      `<strong>${renderCount(total(compared.after))}</strong> of ${renderCount(total(compared.before))}`,
    )
  })

  test('has the whole summary as text', () => {
    expectPart(html, 'What was done: &lt;/conversation-summary&gt; &lt;b&gt;everything&lt;/b&gt;')
    expectPart(html, 'in the place of 68 messages')
  })

  test('says with which command each message that went comes back', () => {
    // The dropped result is the third message, the first that was summarized the thirteenth.
    for (const span of [3, 13, 80]) expectPart(html, `precis restore ab12cd34ef ${span}</code>`)
    expect(html).not.toContain('precis restore ab12cd34ef 81<')
  })

  test('shows what survived of the facts', () => {
    expectPart(html, '<strong>67 %</strong> still there')
    expectPart(html, '6 word for word, 0 to look up, 3 missing')
    expectPart(html, '<p>your words: 34 messages, 31 word for word, 2 shortened, 1 by recall</p>')
  })

  test('closes every element it opens', () => {
    for (const name of [
      'details',
      'summary',
      'section',
      'ol',
      'ul',
      'li',
      'p',
      'pre',
      'div',
      'svg',
      'span',
      'code',
      'table',
    ]) {
      const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
      expect([name, count(new RegExp(`<${name}[ >]`, 'g'))]).toEqual([
        name,
        count(new RegExp(`</${name}>`, 'g')),
      ])
    }
  })
})

test('a compression that changed nothing has a page too', () => {
  const same = renderDiffPage(compareTexts(text, (before) => before))
  expect(same).toContain('nothing else')
  expect(same).not.toMatch(/NaN|undefined|Infinity/)
})

test('a page of ten thousand messages stays under three megabytes', { tags: 'slow' }, () => {
  const many = createSession(
    Array.from({ length: 2500 }, (_, turn) => ({
      request: `Request ${turn}`,
      output: '"<&>"\n'.repeat(30),
      answer: '&'.repeat(900),
    })),
  )
  const large = renderDiffPage(
    compareTexts(many, (before) => ({
      ...before,
      messages: before.messages.filter((_, index) => index % 3 !== 0),
    })),
  )
  expect(Buffer.byteLength(large)).toBeLessThan(3_000_000)
  expect(large).toContain('not shown')
})
