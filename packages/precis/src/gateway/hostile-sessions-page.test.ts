import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createListed, createPage, listed, NOW } from './sessions-page.suite.ts'
import { renderSessionsPage, type SessionsPage } from './sessions-page.ts'
import { renderOwnersPage, renderStartPage } from './start-pages.ts'

const CHROMIUM = '/usr/bin/chromium'

/**
 * Text from others: names of sessions, agents and models, reasons, and the place of the database.
 */
const ATTACKS = [
  '<script>alert(1)</script><script src="https://evil.example/x.js"></script>',
  '"><img src=x onerror=alert(1)><svg onload=alert(1)>',
  '\'"><a href="javascript:alert(1)" onclick="alert(1)">click</a>',
  '</style><style>@import "https://evil.example/x.css"; body { display: none }</style>',
  '</title></head><body onload=alert(1)><base href="https://evil.example/">',
  '</article></section></main></body></html><iframe src="https://evil.example/"></iframe>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/"><form action="https://evil.example/"><input autofocus onfocus=alert(1)>',
  '\u202etxet desrever\u202c \u200f مرحبا',
  '\u001b[31mred\u001b[0m \u0000NUL \u009b2J',
  'x'.repeat(20_000),
  `e${'\u0301'.repeat(5000)}`,
  '\u3042'.repeat(5000),
  'token sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789',
]

const hostile: SessionsPage = createPage(
  ATTACKS.map((attack, place) =>
    createListed(attack, [
      { agent: attack, model: attack, tokens: [1000 + place, 0, 0, 10] },
      { agent: attack, model: attack, pass: { reason: 'failed', problem: attack } },
      {
        agent: attack,
        model: attack,
        done: {
          type: 'answer',
          record: {
            act: 'answer',
            time: NOW,
            milliseconds: 1,
            model: attack,
            tokensBefore: 10,
            tokensAfter: 1,
            archived: attack,
            problem: attack,
          },
        },
      },
    ]),
  ),
  {
    database: ATTACKS[1],
    agentTitles: new Map([[String(ATTACKS[0]), String(ATTACKS[2])]]),
    token: ATTACKS[1],
  },
)

const pages: Readonly<Record<string, string>> = {
  hostile: renderSessionsPage(hostile),
  usual: renderSessionsPage(createPage(listed)),
  empty: renderSessionsPage(createPage([])),
  start: renderStartPage({ text: String(ATTACKS[0]), problem: ATTACKS[1] }),
  owners: renderOwnersPage(
    hostile.sessions.map((session, place) => ({
      link: `../o/${place}`,
      ownerId: String(ATTACKS[place]),
      sessions: [session],
    })),
    hostile,
  ),
}

test('a page of hostile names stays small and has no secret in it', () => {
  expect(Buffer.byteLength(pages.hostile ?? '')).toBeLessThan(200_000)
  expect(pages.hostile).not.toContain('sk-ant-api03')
  expect(pages.hostile).not.toMatch(/<(?:script|img|iframe|a |base|meta http-equiv="refresh")/)
})

describe.skipIf(!existsSync(CHROMIUM))(
  'pages of the gateway in a browser (/usr/bin/chromium)',
  { tags: 'slow' },
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    }, 60_000)
    afterAll(() => browser.close())

    test.each(
      Object.keys(pages).flatMap(
        (name) =>
          [
            [name, 'light', 1280],
            [name, 'dark', 400],
            [name, 'light', 360],
          ] as const,
      ),
    )(
      '%s in %s at %i px fits, runs nothing and loads nothing',
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
        await page.setContent(pages[name] ?? '', { waitUntil: 'load' })
        await page.evaluate(
          'for (const details of document.querySelectorAll("details")) details.open = true',
        )
        const widest = 'Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)'
        expect(await page.evaluate(widest)).toBeLessThanOrEqual(width)
        expect(await page.evaluate(FIND_ACTIVE)).toEqual([])
        for (const link of await page.locator('a').all())
          expect(await link.getAttribute('href')).toMatch(/^\.\.\/o\/\d+$/)
        for (const form of await page.locator('form').all())
          expect(await form.getAttribute('action')).toBe(null)
        expect(events).toEqual([])
        await context.close()
      },
    )
  },
)

/** An expression for the browser that finds everything active on the page except its own forms. */
const FIND_ACTIVE = `[...document.querySelectorAll('*')].flatMap((element) => [
  ...(/^(?:script|iframe|img|object|embed|base|link|image)$/i.test(element.tagName) ? [element.tagName] : []),
  ...[...element.attributes].flatMap(({ name }) => /^(?:on|style|src|formaction|autofocus)/.test(name) ? [element.tagName + ' ' + name] : []),
  ...(element.tagName === 'STYLE' && document.querySelectorAll('style').length > 1 ? ['style'] : []),
])`
