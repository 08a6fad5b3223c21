import { describe, expect, test } from 'vitest'
import { renderInspectionPage } from './inspect-page.ts'
import { createSession, inspectText } from './session-page.suite.ts'

const long =
  'Keep every price in whole cents, because the tax office counts them so, and never round before the sum is there.'
const before = createSession([
  { request: 'The ports are 7431 and 7432.', output: 'src/legacy_orders.ts', answer: 'I see.' },
  { request: long, output: 'src/prices.ts', answer: 'I will <b>not</b>.' },
])

function line(fields: object): string {
  return `${JSON.stringify({ sessionId: 's', cwd: '/work/shop', version: '2.1.329', timestamp: '2026-04-01T10:20:00.000Z', ...fields })}\n`
}

const compactMetadata = {
  trigger: 'auto',
  preTokens: 155_000,
  postTokens: 9000,
  durationMs: 43_000,
}
const boundary = line({
  type: 'system',
  subtype: 'compact_boundary',
  uuid: 'b1',
  parentUuid: null,
  compactMetadata,
})
const summary = line({
  type: 'user',
  isCompactSummary: true,
  uuid: 'b2',
  parentUuid: 'b1',
  message: {
    role: 'user',
    content: `This session is being continued from a previous conversation that ran out of context.\n${long.slice(0, 80)} <script>alert(1)</script>`,
  },
})
const after = line({
  type: 'user',
  uuid: 'b3',
  parentUuid: 'b2',
  message: { role: 'user', content: 'Now the receipts.' },
})

const page = await inspectText(before + boundary + summary + after)
const html = renderInspectionPage(page)

describe('the page of a session that its agent compacted', () => {
  test('has a row for each compaction, in words', () => {
    expect(page.compactions).toHaveLength(1)
    const [, table = ''] = html.split('id="compactions"')
    const [, row = ''] = table.split('<tbody>')
    expect(
      [...row.matchAll(/<td data-title="([^"]{1,20})">([^<]{1,40})</g)]
        .slice(1, 8)
        .map((cell) => cell.slice(1)),
    ).toEqual([
      ['made by', 'agent'],
      ['waited', '43 s'],
      ['tokens before', '155,000'],
      ['after', '9,000'],
      ['your messages', '1 of 2 gone, 1 shortened'],
      ['facts', expect.stringMatching(/^\d of \d gone$/)],
      ['cost', expect.stringMatching(/^~\$0\.\d\d$/)],
    ])
  })

  test('says of every turn since the beginning what it cost, and what is left of it', () => {
    const { turns } = page.history
    expect(turns.map(({ turn, words, messages, left }) => [turn, words, messages, left])).toEqual([
      [1, 'gone', 4, 0],
      [2, 'shortened', 4, 0],
      [3, 'word for word', 1, 1],
    ])
    expect(turns.map(({ usage }) => usage?.requests)).toEqual([2, 2, undefined])
    const cost = turns.reduce((sum, { usage }) => sum + (usage?.cost ?? 0), 0)
    expect(cost).toBeCloseTo(page.usage?.cost ?? 0, 10)
    expect(html).toContain('1 of your 3 messages is in the current context, word for word.')
    const [, table = ''] = html.split('id="history"')
    expect(table).toMatch(
      /3<\/th><td data-title="when">2026-04-01 [^<]{5}<\/td><td data-title="requests">–<\/td><td data-title="cost">–<\/td><td data-title="your message">word for word</,
    )
    expect(html).toContain('<strong>3</strong> turns')
  })

  test('marks it where the requests get smaller, and has its summary as text', () => {
    expect(html).toContain('The summary of compaction 1')
    expect(html).toContain('&lt;script&gt;alert(1)')
    expect(html).not.toContain('<script>alert')
  })
})

test('the page of a session that was never compacted has no word of it, but what its turns cost', async () => {
  const whole = renderInspectionPage(await inspectText(before))
  expect(whole).not.toContain('id="compactions"')
  expect(whole).not.toContain('data-title="your message"')
  expect(whole.match(/<td data-title="cost">&lt; \$0.01</g)).toHaveLength(2)
})
