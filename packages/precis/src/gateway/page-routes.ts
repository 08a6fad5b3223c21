/**
 * Who sees which page. A visitor of a page sends no provider credential. Each page therefore has an
 * address that only its owner learns: the keyed hash of the credential. Every action sends it in
 * the header `x-precis-page`.
 *
 *   /o/<owner>        the sessions of one owner, and a form that deletes what is kept of them
 *   /                 the same, if there is one owner on this machine only, else a form for the key
 *   /all/<secret>     links to the pages of all owners, for a gateway on your own machine, where
 *                     renewed logins make new owners
 *   /sessions.json    the same as JSON, for the credential of the request or for `?owner=`
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { agents } from '../agents/index.ts'
import { renderPolicy } from '../pages/page.ts'
import { sumMoney, summarizeAccount } from './account-summary.ts'
import type { Accounts } from './accounts.ts'
import {
  type OwnAnswer,
  type OwnRequest,
  type OwnRoute,
  renderJson,
  renderProblem,
} from './own-routes.ts'
import type { FindOwner } from './owner.ts'
import { renderSessionsPage } from './sessions-page.ts'
import { NO_REQUEST_YET, renderOwnersPage, renderStartPage } from './start-pages.ts'

export interface PageHost {
  readonly accounts: Accounts
  readonly findOwner: FindOwner
  /** The secret of the gateway, the same in all instances. */
  readonly key: Uint8Array
  /** Whether only this machine can reach the gateway, and no token is required. */
  readonly isLocal: boolean
  /** The place of the database, with its password removed. */
  readonly database: string
  /** Deletes the state of an owner, and on request originals too. */
  readonly forget: (ownerId: string, hasOriginals: boolean) => Promise<void>
}

/** The path of an owner's page, below the address of the gateway. */
export function renderPagePath(ownerId: string): string {
  return `/${OWNERS}${ownerId}`
}

/** The address that the gateway prints for its operator. Undefined if others can reach it. */
export function renderAllPath({
  key,
  isLocal,
}: Pick<PageHost, 'key' | 'isLocal'>): string | undefined {
  return isLocal ? `/all/${createHmac('sha256', key).update('all').digest('hex')}` : undefined
}

const OWNERS = 'o/'
const OWNER = /^\/o\/([0-9a-f]{64})$/
// Large enough for a key and a token.
const MOST_FORM_BYTES = 20_000

export function listPageRoutes(host: PageHost): readonly OwnRoute[] {
  return [
    { method: 'GET', path: '/', answer: () => answerStart(host) },
    { method: 'POST', path: '/', answer: (request) => answerKey(host, request) },
    { method: 'GET', path: '/o/*', answer: ({ path }) => answerOwner(host, OWNER.exec(path)?.[1]) },
    { method: 'POST', path: '/o/*', answer: (request) => answerDeletion(host, request) },
    { method: 'GET', path: '/all/*', answer: (request) => answerAll(host, request) },
    { method: 'GET', path: '/sessions.json', answer: (request) => answerJson(host, request) },
    // Browsers ask for it. A page names no icon, since it names nothing that loads.
    { method: 'GET', path: '/favicon.ico', answer: () => NO_ICON },
  ]
}

const NO_ICON: OwnAnswer = { status: 204, contentType: 'image/x-icon', body: '' }

async function answerStart(host: PageHost): Promise<OwnAnswer> {
  const owners = host.isLocal ? await host.accounts.listOwners() : []
  const [only, ...others] = owners
  if (only !== undefined && others.length === 0) return await answerOwner(host, only)
  const text = host.isLocal
    ? owners.length === 0
      ? NO_REQUEST_YET
      : 'Requests with several keys have come through this gateway. Nobody sees the sessions of another key.'
    : 'Others can reach this gateway. Nobody sees the sessions of another key.'
  return renderHtml(renderStartPage({ text }))
}

/** The owner whose requests had this key, in any place that a provider reads. */
async function answerKey(host: PageHost, request: OwnRequest): Promise<OwnAnswer> {
  const form = await readForm(request)
  const key = form?.get('key')?.trim() ?? ''
  const places = [
    { 'x-api-key': key },
    { authorization: `Bearer ${key}` },
    { 'x-goog-api-key': key },
    { 'api-key': key },
  ]
  const ids = places.map((headers) => host.findOwner({ url: '/', headers }).id)
  ids.push(host.findOwner({ url: `/?key=${encodeURIComponent(key)}`, headers: {} }).id)
  const known = new Set(await host.accounts.listOwners())
  const found = key === '' ? undefined : ids.find((id) => known.has(id))
  if (found !== undefined) return redirect(`${OWNERS}${found}`)
  const problem = 'No sessions of this key are known.'
  return renderHtml(
    renderStartPage({ text: 'Nobody sees the sessions of another key.', problem }),
    404,
  )
}

async function answerOwner(host: PageHost, ownerId: string | undefined): Promise<OwnAnswer> {
  if (ownerId === undefined)
    return renderHtml(renderStartPage({ text: 'This is not the address of a page.' }), 404)
  const listed = await host.accounts.list(ownerId)
  const page = renderSessionsPage({
    ownerId,
    money: sumMoney(listed.map(({ account }) => account)),
    sessions: listed.map(summarizeAccount),
    agentTitles: listTitles(),
    database: host.database,
    token: sign(host, ownerId),
    now: Date.now(),
  })
  return renderHtml(page)
}

async function answerAll(host: PageHost, { path }: OwnRequest): Promise<OwnAnswer> {
  const expected = renderAllPath(host)
  if (expected === undefined || !isSame(path, expected)) return await answerOwner(host, undefined)
  const owners = []
  for (const ownerId of await host.accounts.listOwners()) {
    const sessions = (await host.accounts.list(ownerId)).map(summarizeAccount)
    owners.push({ link: `../${OWNERS}${ownerId}`, ownerId, sessions })
  }
  return renderHtml(renderOwnersPage(owners, { agentTitles: listTitles(), now: Date.now() }))
}

const listTitles = () => new Map(agents.map(({ name, title }) => [name, title]))

async function answerDeletion(host: PageHost, request: OwnRequest): Promise<OwnAnswer> {
  const ownerId = OWNER.exec(request.path)?.[1]
  const form = await readForm(request)
  if (ownerId === undefined || !form || !isSame(form.get('token') ?? '', sign(host, ownerId))) {
    return renderHtml(
      renderStartPage({ text: 'Nothing was deleted: the form is not of the page of this owner.' }),
      403,
    )
  }
  await host.forget(ownerId, form.get('originals') === 'yes')
  return redirect(ownerId)
}

async function answerJson(host: PageHost, { headers, query }: OwnRequest): Promise<OwnAnswer> {
  const ownerId = query.get('owner') ?? host.findOwner({ url: '/', headers }).id
  if (!OWNER.test(renderPagePath(ownerId)))
    return renderProblem(400, 'an owner has 64 hexadecimal digits')
  const listed = await host.accounts.list(ownerId)
  const money = sumMoney(listed.map(({ account }) => account))
  return {
    ...renderJson({
      page: renderPagePath(ownerId),
      ...money,
      sessions: listed.map(summarizeAccount),
    }),
    headers: UNKEPT,
  }
}

/** Undefined for anything but a short form. */
async function readForm(request: OwnRequest): Promise<URLSearchParams | undefined> {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const body = isForm ? await request.readBody() : undefined
  return body && body.length <= MOST_FORM_BYTES
    ? new URLSearchParams(Buffer.from(body).toString())
    : undefined
}

function sign({ key }: PageHost, ownerId: string): string {
  return createHmac('sha256', key).update(`delete ${ownerId}`).digest('hex')
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

// The address of a page is a secret. No link sends it on, and no cache keeps it.
const UNKEPT = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

function renderHtml(body: string, status = 200): OwnAnswer {
  const policy = `${renderPolicy({ canSubmit: true })}; frame-ancestors 'none'`
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body,
    headers: { ...UNKEPT, 'content-security-policy': policy },
  }
}

/** Relative to the requested address, which may begin with a token. */
function redirect(location: string): OwnAnswer {
  return {
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    body: '',
    headers: { ...UNKEPT, location },
  }
}
