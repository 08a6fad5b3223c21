import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderDiffPage } from './diff-page.ts'
import { renderInspectionPage } from './inspect-page.ts'
import { compareTexts, createSession, createSummary, inspectText } from './session-page.suite.ts'

const CHROMIUM = '/usr/bin/chromium'

const ATTACKS = [
  '<script>alert(1)</script><script src="https://evil.example/x.js"></script>',
  '"><img src=x onerror=alert(1)><svg onload=alert(1)>',
  '\'"><a href="javascript:alert(1)" onclick="alert(1)">click</a>',
  '</style><style>@import "https://evil.example/x.css"; body { display: none }</style>',
  '</title></head><body onload=alert(1)><base href="https://evil.example/">',
  '</pre></li></ol></details></section></main></body></html><iframe src="https://evil.example/"></iframe>',
  '<!-- <![CDATA[ --!> ]]> <plaintext>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/"><form action="https://evil.example/"><input autofocus onfocus=alert(1)>',
  '\u202etxet desrever\u202c \u2066isolated\u2069 \u200f مرحبا بالعالم שלום',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u0000NUL \u0008\u009b2J',
  '\ud800 lone \udc00 surrogates \ufffe',
  '{{constructor.constructor("alert(1)")()}} $' + '{alert(1)} <%= 7*7 %> #{7*7}',
  '&lt;b&gt; &amp;lt; &#x3c;script&#x3e;',
  '😀👩‍👩‍👧‍👦🏳️‍🌈'.repeat(200),
  'x'.repeat(20_000),
  `e${'\u0301'.repeat(5000)}`,
  '\u3042'.repeat(5000),
  '\t'.repeat(500) + '\n'.repeat(5000),
  'token sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
]

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

/** What was said before the agent compacted, and its summary. */
const compacted = [
  ...ATTACKS.map((content) => ({ type: 'user', message: { role: 'user', content } })),
  {
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: ATTACKS[0], preTokens: 155_000 },
  },
  { type: 'user', isCompactSummary: true, message: { role: 'user', content: ATTACKS.join('\n') } },
]
  .map((fields, index) => ({
    ...fields,
    uuid: `c${index}`,
    parentUuid: index === 0 ? null : `c${index - 1}`,
  }))
  .map(
    (entry) =>
      `${JSON.stringify({ ...entry, sessionId: 's', timestamp: '2026-04-01T09:00:00Z' })}\n`,
  )
  .join('')

const hostile = createSession(
  [
    { request: `Use ${SECRET} ${'and so on '.repeat(5000)}`, answer: 'I do.' },
    {
      request: 'A word of a megabyte',
      output: 'x'.repeat(1_000_000),
      answer: `e${'\u0301'.repeat(100_000)}`,
    },
    ...ATTACKS.map((attack, index) => ({
      request: attack,
      tool: index % 2 === 0 ? 'Read' : attack.slice(0, 200),
      input:
        index % 2 === 0
          ? { file_path: `/work/${attack.slice(0, 3000)}` }
          : { [attack.slice(0, 300)]: attack },
      output: attack,
      answer: attack,
      reasoning: attack,
    })),
  ],
  { cwd: `/work/${ATTACKS[1]}`, sessionId: ATTACKS[0], model: ATTACKS[1] },
)

const gone = ATTACKS.map((attack, turn) => ({
  kind: attack,
  text: attack,
  state: 'retrievable' as const,
  writer: 'user',
  count: 1,
  message: 0,
  turn,
  recall: {
    reference: 'ab12cd34ef',
    query: attack,
    command: `precis recall ab12cd34ef '${attack}'`,
  },
}))

async function createPages(): Promise<Record<'inspect' | 'diff', string>> {
  const compared = compareTexts(
    hostile,
    (before) => ({
      ...before,
      messages: [
        ...before.messages.slice(0, 20),
        createSummary(ATTACKS.join('\n')),
        ...before.messages.slice(60).map((message, index) => {
          if (index % 4 !== 2 || message.role !== 'assistant') return message
          return {
            ...message,
            parts: message.parts.map((part) =>
              part.type === 'text' ? { ...part, text: part.text.slice(0, 90) } : part,
            ),
          }
        }),
      ],
    }),
    {
      command: String(ATTACKS[0]),
      originalPath: String(ATTACKS[1]),
      path: `/tmp/${ATTACKS[2]}`,
      format: String(ATTACKS[3]),
    },
    gone,
  )
  return {
    inspect: renderInspectionPage(await inspectText(compacted + hostile, gone)),
    diff: renderDiffPage(compared),
  }
}

const created = createPages()

const views = [
  ['inspect', 'light', 360],
  ['inspect', 'dark', 1280],
  ['diff', 'light', 1280],
  ['diff', 'dark', 360],
] as const

describe.skipIf(!existsSync(CHROMIUM))(
  'pages of a hostile session in a browser (/usr/bin/chromium)',
  { tags: 'slow' },
  () => {
    let browser: Browser
    let pages: Record<'inspect' | 'diff', string>
    beforeAll(async () => {
      pages = await created
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    }, 60_000)
    afterAll(() => browser.close())

    test.each(views)(
      '%s in %s at %i px does nothing, loads nothing and shows text as text',
      async (name, colorScheme, width) => {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
        const page = await context.newPage()
        const events: string[] = []
        page.on('console', (message) => events.push(`console: ${message.text()}`))
        page.on('pageerror', (error) => events.push(`error: ${error.message}`))
        page.on('request', (request) => events.push(`request: ${request.url()}`))
        page.on('dialog', (dialog) => {
          events.push(`dialog: ${dialog.message()}`)
          void dialog.dismiss()
        })
        await page.setContent(pages[name], { waitUntil: 'load' })
        expect(await measureOverflow(page)).toBeLessThanOrEqual(width)
        await page.evaluate(
          'for (const details of document.querySelectorAll("details")) details.open = true',
        )
        expect(await measureOverflow(page)).toBeLessThanOrEqual(width)
        for (const link of await page.locator('a').all())
          expect(await link.getAttribute('href')).toMatch(/^#[a-z][a-z0-9-]*$/)
        expect(await page.evaluate(FIND_ACTIVE)).toEqual([])
        const text = (await page.locator('body').textContent()) ?? ''
        for (const attack of [...ATTACKS.slice(0, 3), ATTACKS[5] ?? '', ATTACKS[12] ?? ''])
          expect(text).toContain(attack)
        expect(text).not.toContain('sk-ant-api03')
        // What the user asked first is the title too.
        expect(pages[name]).not.toContain(SECRET)
        expect((await page.title()).length).toBeLessThanOrEqual(200)
        expect(text).not.toMatch(/[\p{Bidi_Control}]|(?=\p{Cc})[^\n]/u)
        expect(text).not.toMatch(/\u0301{7}/)
        expect(events).toEqual([])
        await context.close()
      },
    )
  },
)

function measureOverflow(page: Page): Promise<unknown> {
  return page.evaluate('Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)')
}

/** Everything on the page that could act, as an expression for the browser. */
const FIND_ACTIVE = `[...document.querySelectorAll('*')].flatMap((element) => [
  ...(/^(?:script|iframe|img|object|embed|form|input|base|link|image)$/i.test(element.tagName) ? [element.tagName] : []),
  ...[...element.attributes].flatMap(({ name }) => /^(?:on|style|src)/.test(name) ? [element.tagName + ' ' + name] : []),
  ...(element.tagName === 'STYLE' && document.querySelectorAll('style').length > 1 ? ['style'] : []),
])`

test('pages of a hostile session stay small', async () => {
  const { inspect, diff } = await created
  expect(Buffer.byteLength(inspect)).toBeLessThan(1_000_000)
  expect(Buffer.byteLength(diff)).toBeLessThan(1_000_000)
})
