import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formats } from '@precis/core/formats'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { listCompressions } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { keepDocument } from '../compression/keep-original.ts'
import { createMemorySource } from '../files/read-document.ts'
import { NO_DAMAGE } from '../sessions/load-session.ts'
import {
  type Asked,
  ask,
  openGateway,
  startUpstream,
  type TestGatewayOptions,
} from './gateway.suite.ts'

const TOKEN = 'a-token-of-sixteen-letters'
const MINE = {
  'x-api-key': 'key-of-mine',
  'x-claude-code-session-id': '8f14e45f-ceea-467f-9a77-3c2d1e0b5a11',
}
/** The same session and messages, sent by another user. */
const THEIRS = { ...MINE, 'x-api-key': 'key-of-theirs' }
const BODY = '{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hello"}]}'
const ANSWER = JSON.stringify({
  model: 'claude-sonnet-4-5',
  content: [],
  usage: {
    input_tokens: 1000,
    cache_read_input_tokens: 90_000,
    cache_creation_input_tokens: 9000,
    output_tokens: 500,
  },
})

async function open(options: TestGatewayOptions = {}) {
  const upstream = await startUpstream((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(ANSWER)
  })
  const database = join(mkdtempSync(join(tmpdir(), 'page-')), 'archive.db')
  const gateway = await openGateway(upstream.url, { database, ...options })
  const get = async (path: string, asked: Asked = {}) => {
    const { status, headers, body } = await ask(`${gateway.url}${path}`, {
      method: 'GET',
      ...asked,
    })
    return { status, headers, text: body.toString() }
  }
  const readPage = async (headers: Record<string, string>) =>
    JSON.parse((await get('/sessions.json', { headers })).text)
  const sent = new Map<string, number>()
  const turn = async (headers: Record<string, string>) => {
    const answer = await ask(`${gateway.url}/v1/messages`, { headers, body: BODY })
    expect(answer.status).toBe(200)
    const name = JSON.stringify(headers)
    sent.set(name, (sent.get(name) ?? 0) + 1)
    // It is counted after the client has received all of it.
    await expect.poll(async () => (await readPage(headers)).requests).toBe(sent.get(name))
  }
  return { gateway, database, turn, get, readPage }
}

const post = (form: Record<string, string>, headers: Record<string, string> = {}): Asked => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: new URLSearchParams(form).toString(),
})

test('a turn is on the page of its key with what it cost, and nothing of it is on that of another key', async () => {
  const { turn, readPage, get } = await open()
  await turn(MINE)
  await turn(MINE)
  await turn(THEIRS)
  const mine = await readPage(MINE)
  // Twice 1000 × 3 + 90 000 × 0.3 + 9000 × 3.75 + 500 × 15
  expect(mine.dollars).toEqual({ value: 0.1425, measured: 2, all: 2 })
  const theirs = await readPage(THEIRS)
  expect(theirs).toMatchObject({
    requests: 1,
    sessions: [{ agent: 'claude-code', session: MINE['x-claude-code-session-id'] }],
  })
  expect(theirs.page).not.toBe(mine.page)
  const page = await get(mine.page)
  expect(page.status).toBe(200)
  expect(page.text).toContain('$0.14')
  expect(page.text).toContain('Claude Code')
  expect((await get(theirs.page)).text).toContain('$0.07')
})

test('pages run nothing, stay in no cache, and tell no other server where they are', async () => {
  const { turn, readPage, get } = await open()
  await turn(MINE)
  for (const path of ['/', (await readPage(MINE)).page, '/o/nobody']) {
    const { headers } = await get(path)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
    )
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['referrer-policy']).toBe('same-origin')
  }
})

test('"/" shows the one key that was seen, and asks for it as soon as there are two', async () => {
  const { turn, get } = await open()
  const { text } = await get('/')
  expect(text).toContain('No request has come through')
  expect(text).toContain('run precis wrap with its name')
  await turn(MINE)
  expect((await get('/')).text).toContain('1 session')
  await turn(THEIRS)
  expect((await get('/')).text).toContain('Requests with several keys')
  expect((await get('/')).text).not.toContain(MINE['x-claude-code-session-id'])
})

test.each([
  ['x-api-key', (key: string) => key],
  ['authorization', (key: string) => `Bearer ${key}`],
  ['x-goog-api-key', (key: string) => key],
])('a key that was sent as %s leads to its page', async (name, render) => {
  const { turn, get, readPage } = await open()
  await turn({ [name]: render('a key + more') })
  const found = await get('/', post({ key: ' a key + more ' }))
  expect([found.status, `/${found.headers.location}`]).toEqual([
    303,
    (await readPage({ [name]: render('a key + more') })).page,
  ])
  const other = await get('/', post({ key: 'another key' }))
  expect(other.status).toBe(404)
  expect(other.text).toContain('No sessions of this key are known.')
})

test('the page of a key that nobody has is as empty as that of one with nothing', async () => {
  const { get, readPage } = await open()
  const unseen = (await readPage(MINE)).page
  const strip = (text: string) =>
    text.replaceAll(/[0-9a-f]{64}|<code>[0-9a-f]{12}<|<time.*?<\/time>/g, '')
  expect(strip((await get(`/o/${'0'.repeat(64)}`)).text)).toBe(strip((await get(unseen)).text))
  expect((await get('/o/../o/1')).status).toBe(404)
  expect(await get('/favicon.ico')).toMatchObject({ status: 204, text: '' })
})

test('the address that is printed for who runs it leads to all pages, and no other one does', async () => {
  const { gateway, turn, get, readPage } = await open()
  await turn(MINE)
  await turn(THEIRS)
  const path = new URL(gateway.pageUrl ?? '').pathname
  expect((await get(path)).text.match(/href="..\/o\/[0-9a-f]{64}"/g)).toHaveLength(2)
  expect((await get(path)).text).toContain(`href="..${(await readPage(MINE)).page}"`)
  expect((await get(`/all/${'0'.repeat(64)}`)).status).toBe(404)
})

test('a gateway that others can reach shows nothing to who does not know the token, and no list of all', async () => {
  const { gateway, turn, get, readPage } = await open({ token: TOKEN })
  const known = { 'x-precis-token': TOKEN }
  await turn({ ...MINE, ...known })
  expect(gateway.pageUrl).toBe(undefined)
  const { page } = await readPage({ ...MINE, ...known })
  for (const path of ['/', page, '/sessions.json']) expect((await get(path)).status).toBe(401)
  expect((await get(`/t/${TOKEN}${page}`)).text).toContain(MINE['x-claude-code-session-id'])
  expect((await get(`/t/${TOKEN}/`)).text).not.toContain(MINE['x-claude-code-session-id'])
})

test('where a token is asked for, nobody becomes another account by a login that says so', async () => {
  const { turn, readPage } = await open({ token: TOKEN })
  const claims = Buffer.from('{"iss":"https://auth","sub":"user-1"}').toString('base64url')
  const login = (signature: string) => ({
    'x-precis-token': TOKEN,
    authorization: `Bearer e30.${claims}.${signature}`,
    'anthropic-version': '2023-06-01',
  })
  await turn(login('c2ln'))
  expect(await readPage(login('Zm9yZ2Vk'))).toMatchObject({ sessions: [] })
})

test('an owner deletes what is kept of it, with the originals where that is asked for, and nothing of others', async () => {
  const { gateway, database, turn, get, readPage } = await open()
  await turn(MINE)
  await turn(THEIRS)
  const [mine, theirs] = [(await readPage(MINE)).page, (await readPage(THEIRS)).page]
  const document = Buffer.from(BODY)
  const names: string[] = []
  for (const page of [mine, theirs]) {
    const sessionId = `one.${page.slice(3, 15)}`
    const conversation = formats['anthropic-messages'].parse(JSON.parse(BODY))
    const kept = {
      source: createMemorySource(document),
      format: 'anthropic-messages',
      sessionId,
      path: undefined,
    }
    const { name } = await keepDocument(
      { ...kept, conversation, damage: NO_DAMAGE },
      { database, quotaBytes: 1e9 },
    )
    names.push(name)
  }
  const token = (text: string) => /name="token" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? ''
  const [own, foreign] = [token((await get(mine)).text), token((await get(theirs)).text)]
  const archive = await createArchive(database)
  onTestFinished(() => archive.close())
  const list = async () => (await listCompressions(archive)).map(({ name }) => name).sort()

  for (const wrong of [
    post({}),
    post({ token: foreign }),
    { ...post({ token: own }), headers: {} },
  ]) {
    expect((await get(mine, wrong)).status).toBe(403)
  }
  expect((await get(mine, post({ token: own }, { origin: 'https://evil.example' }))).status).toBe(
    403,
  )
  expect((await readPage(MINE)).requests).toBe(1)

  const deleted = await get(mine, post({ token: own }, { origin: gateway.url }))
  expect([deleted.status, deleted.headers.location]).toEqual([303, mine.slice(3)])
  expect((await readPage(MINE)).sessions).toEqual([])
  expect(await list()).toEqual([...names].sort())
  await get(mine, post({ token: own, originals: 'yes' }))
  expect(await list()).toEqual(names.slice(1))
  expect((await readPage(THEIRS)).requests).toBe(1)
})

const CHROMIUM = '/usr/bin/chromium'

test.skipIf(!existsSync(CHROMIUM))(
  'a person finds the sessions of a key and deletes them, without a script (/usr/bin/chromium)',
  { tags: 'slow' },
  async () => {
    const { gateway, turn } = await open()
    await turn(MINE)
    await turn(THEIRS)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    await page.goto(`${gateway.url}/`)
    await page.getByLabel('The API key').fill(MINE['x-api-key'])
    await page.getByRole('button').click()
    await page.getByText(MINE['x-claude-code-session-id']).waitFor()
    await page.getByRole('checkbox').check()
    await page.getByRole('button').click()
    await page.getByText('None yet').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/o\/[0-9a-f]{64}$/)
    expect(problems).toEqual([])
  },
)
