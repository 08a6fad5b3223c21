/** Pages of the gateway without sessions: the start, and the owners of a shared one. */

import { escapeHtml, renderPage } from '../pages/page.ts'
import { renderPlural } from '../terminal/render.ts'
import type { SessionSummary } from './account-summary.ts'
import { OWNER_DIGITS, renderAgo, type SessionsPage } from './sessions-page.ts'

export interface StartPage {
  /** Why there is nothing to show. */
  readonly text: string
  readonly problem?: string | undefined
}

/** Shown if the owner is unknown. It asks for the provider's key, which it does not keep. */
export function renderStartPage({ text, problem }: StartPage): string {
  const body = `<header><p class="eyebrow">precis gateway</p><h1>Whose sessions?</h1></header>
<p>${escapeHtml(text)}</p>
${problem === undefined ? '' : `<p class="verdict" role="alert">${escapeHtml(problem)}</p>`}
<form method="post"><p><label>The API key that your agent sends <input type="password" name="key" autocomplete="off" required></label> <button type="submit">Show its sessions</button></p></form>
<p class="hint">precis compares a hash of the key and does not store the key. The next page has that hash in its address, so keep the address secret. <code>/sessions.json</code> returns it to a request with the key. Every answer that precis changed has it in the header <code>x-precis-page</code>.</p>`
  return renderPage('precis gateway', body, { canSubmit: true })
}

/** How the first request gets there. */
export const NO_REQUEST_YET =
  'No request has come through this gateway yet. To start an agent with it, run precis wrap with its name. For other clients, precis serve prints their settings when it starts.'

/** One key or login. */
export interface OwnerEntry {
  readonly link: string
  readonly ownerId: string
  /** Latest first. */
  readonly sessions: readonly SessionSummary[]
}

/** Links to the pages of all owners, last used first. */
export function renderOwnersPage(
  owners: readonly OwnerEntry[],
  { agentTitles, now }: Pick<SessionsPage, 'agentTitles' | 'now'>,
): string {
  const sorted = [...owners].sort(
    (left, right) => (right.sessions[0]?.used ?? 0) - (left.sessions[0]?.used ?? 0),
  )
  const list = sorted.map(({ link, ownerId, sessions }) => {
    const names = [
      ...new Set(sessions.map(({ agent = '' }) => agentTitles.get(agent) ?? 'unknown agent')),
    ].join(', ')
    const used = renderAgo(now - (sessions[0]?.used ?? now))
    return `<li><a href="${escapeHtml(link)}"><code>${escapeHtml(ownerId.slice(0, OWNER_DIGITS))}</code></a> ${escapeHtml(`${names}: ${renderPlural(sessions.length, 'session')}, the last one ${used}`)}</li>`
  })
  const body = `<header><p class="eyebrow">precis gateway</p><h1>All keys and logins</h1></header>
${list.length === 0 ? `<p>${NO_REQUEST_YET}</p>` : `<ul>${list.join('')}</ul>`}
<p class="hint">Each line is one key, or one login until it is renewed. After that, its sessions continue on a new line. The address of this page is secret: only the operator of the gateway may know it.</p>`
  return renderPage('All keys – precis gateway', body)
}
