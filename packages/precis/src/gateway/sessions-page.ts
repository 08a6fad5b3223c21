/**
 * The page of the gateway: the sessions of one owner, the actions in them, and what is kept. It
 * contains no script.
 */

import { KEPT_DAYS } from '../archive/check-archive.ts'
import {
  escapeHtml,
  renderLine,
  renderMeter,
  renderPage,
  renderShort,
  renderTiles,
  type Tile,
} from '../pages/page.ts'
import {
  renderCount,
  renderDollars,
  renderDuration,
  renderPlural,
  renderShare,
  renderTime,
} from '../terminal/render.ts'
import type { Money, PartialSum, SessionSummary } from './account-summary.ts'
import type { AccountedAct } from './session-account.ts'

export interface SessionsPage {
  /** A keyed hash, in hexadecimal digits. */
  readonly ownerId: string
  readonly money: Money
  readonly sessions: readonly SessionSummary[]
  /** Titles of agents, by their names. */
  readonly agentTitles: ReadonlyMap<string, string>
  /** The place of the database: a file, or an address with its password removed. */
  readonly database: string
  /** Sent with a deletion, so that no other page can request one. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const LONGEST_NAME = 120
const LONGEST_PROBLEM = 400
const LIVE_MS = 600_000
export const OWNER_DIGITS = 12

export function renderSessionsPage(page: SessionsPage): string {
  const { ownerId, money, sessions, now } = page
  const body = `<header>
<p class="eyebrow">precis gateway</p>
<h1>${renderPlural(sessions.length, 'session')}</h1>
<dl class="facts"><div><dt>whose</dt><dd>the key that hashes to <code>${escapeHtml(ownerId.slice(0, OWNER_DIGITS))}</code></dd></div><div><dt>as of</dt><dd>${renderClock(now)}</dd></div></dl>
</header>
${renderTiles(createTiles(money))}
<section id="sessions" aria-labelledby="sessions-title">
<h2 id="sessions-title">Sessions, latest first</h2>
${sessions.length === 0 ? '<p>None yet: requests appear here a second after their answers end.</p>' : sessions.map((session, place) => renderSession(session, place, page)).join('\n')}
</section>
${renderKept(page)}
<footer><p>Dollars are list prices from precis's catalog, for the tokens that providers reported. They do not apply to a subscription. What the models’ own compactions would have cost and taken is computed: the history read once more, a summary of the usual size, the speed measured in the session.</p></footer>`
  return renderPage('Sessions – precis gateway', body, { canSubmit: true })
}

function createTiles(money: Money): Tile[] {
  const {
    tokens,
    dollars,
    requests,
    compactions,
    compactionDollars,
    compactionMilliseconds,
    saved,
    lost,
    fittedTurns,
  } = money
  const prompts = tokens.readFromCache + tokens.writtenToCache + tokens.uncached
  const expected = Object.values(money.passes).reduce((sum, count) => sum + count, 0)
  return [
    {
      title: 'sent to models',
      value: renderShort(prompts),
      unit: 'tokens',
      note: `${renderPlural(requests, 'request')}, ${renderShare(tokens.readFromCache, prompts)} read from the cache; ${renderDollarSum(dollars)}`,
    },
    {
      title: 'compactions answered',
      value: renderCount(compactions),
      note:
        compactions === 0
          ? 'none was asked for yet'
          : `the models’ own: ${renderDollarSum(compactionDollars)}, ${renderTimeSum(compactionMilliseconds)}`,
    },
    {
      title: 'lost by us',
      value: renderShort(lost.tokens),
      unit: 'tokens',
      note:
        lost.tokens === 0
          ? 'nothing was written to a cache again because of precis'
          : `written to a cache again, ${renderDollars(lost.dollars)}`,
    },
    {
      title: 'saved by shorter requests',
      value: renderShort(saved.tokens),
      unit: 'tokens',
      note:
        saved.turns + fittedTurns === 0
          ? 'no request was shortened'
          : `${renderDollars(saved.dollars)} in ${renderPlural(saved.turns, 'turn')}; ${renderPlural(fittedTurns, 'turn')} would not have fitted`,
    },
    {
      title: 'let pass',
      value: renderCount(expected),
      note: expected === 0 ? 'nothing was expected and not done' : renderPasses(money.passes),
    },
  ]
}

function renderSession(session: SessionSummary, place: number, page: SessionsPage): string {
  const { agent, used, context, acts, passed } = session
  const isLive = page.now - used < LIVE_MS
  const title = agent === undefined ? 'unknown agent' : (page.agentTitles.get(agent) ?? agent)
  const name = session.session === '' ? 'requests that name no session' : session.session
  const list = [
    ...acts.map((act) => ({ time: act.time, html: renderAct(act) })),
    ...passed.map(renderPassed),
  ]
  list.sort((left, right) => right.time - left.time)
  const deeds = `<details${place === 0 ? ' open' : ''}><summary>${renderPlural(acts.length, 'action')}${passed.length > 0 ? `, ${renderCount(passed.length)} let pass` : ''}</summary>
<ol class="items">${list.map(({ html }) => html).join('\n')}</ol></details>`
  return `<article class="session">
<h3>${renderLine(title, LONGEST_NAME)} <code><bdi>${renderLine(name, LONGEST_NAME)}</bdi></code>${isLive ? ' <span class="badge live">live</span>' : ''}</h3>
${context ? renderGauge(context) : ''}
<dl class="facts">${renderFacts(session, page.now)}</dl>
${list.length > 0 ? deeds : ''}
</article>`
}

function renderGauge({
  model,
  tokens,
  windowTokens,
  isKnown,
}: NonNullable<SessionSummary['context']>): string {
  const guess = isKnown ? '' : ', which is a guess'
  return `<p class="gauge">${renderMeter(tokens / windowTokens)}<b>${renderShort(tokens)}</b> tokens, ${renderShare(tokens, windowTokens)} of the window of ${renderShort(windowTokens)}${guess} · <bdi>${renderLine(model, LONGEST_NAME)}</bdi></p>`
}

function renderFacts(session: SessionSummary, now: number): string {
  const {
    tokens,
    dollars,
    requests,
    errors,
    compactions,
    saved,
    lost,
    fittedTurns,
    used,
    ownTokens,
  } = session
  const { compactionDollars, compactionMilliseconds } = session
  const hasShortened = saved.turns + fittedTurns + lost.tokens > 0
  const facts: (readonly [string, string] | undefined)[] = [
    ['last', renderAgo(now - used)],
    ['requests', `${renderCount(requests)}${errors > 0 ? `, ${renderCount(errors)} failed` : ''}`],
    ['at list prices', renderDollarSum(dollars)],
    ['read from the cache', renderShort(tokens.readFromCache)],
    ['written to it', renderShort(tokens.writtenToCache)],
    ['uncached', renderShort(tokens.uncached)],
    ['answers', renderShort(tokens.output)],
    compactions > 0
      ? [
          'compactions answered',
          `${renderCount(compactions)}; the model’s own: ${renderDollarSum(compactionDollars)}, ${renderTimeSum(compactionMilliseconds)}; ${renderShort(ownTokens.input)} → ${renderShort(ownTokens.output)} tokens, not billed`,
        ]
      : undefined,
    hasShortened
      ? ['saved', `${renderDollars(saved.dollars)}, ${renderShort(saved.tokens)} tokens`]
      : undefined,
    hasShortened
      ? ['lost by us', `${renderDollars(lost.dollars)}, ${renderShort(lost.tokens)} tokens`]
      : undefined,
    fittedTurns > 0 ? ['would not have fitted', renderPlural(fittedTurns, 'turn')] : undefined,
  ]
  return facts
    .flatMap((fact) =>
      fact ? [`<div><dt>${escapeHtml(fact[0])}</dt><dd>${escapeHtml(fact[1])}</dd></div>`] : [],
    )
    .join('')
}

const DEEDS: Readonly<Record<AccountedAct['act'], string>> = {
  answer: 'answered a compaction',
  guard: 'made a request fit',
  save: 'made the history shorter',
  restore: 'put an earlier summary back',
}

function renderAct(act: AccountedAct): string {
  const {
    type,
    time,
    milliseconds,
    tokensBefore,
    tokensAfter,
    facts,
    archived,
    problem,
    lostTokens,
  } = act
  const { modelDollars, modelMilliseconds } = act
  const notes = [
    facts &&
      `${renderCount(facts.kept)} of ${renderCount(facts.before)} facts and words of yours are in it`,
    type === 'answer' &&
      `the model’s own: ${modelDollars === undefined ? 'no price known' : renderDollars(modelDollars)}, ${modelMilliseconds === undefined ? 'time not measured' : renderDuration(modelMilliseconds)}`,
    lostTokens !== undefined && `${renderShort(lostTokens)} tokens written to the cache again`,
    problem !== undefined && renderLine(problem, LONGEST_PROBLEM),
    type === 'answer' && archived === undefined && 'the original is not in the archive',
  ].filter((note) => typeof note === 'string')
  const recall =
    archived === undefined
      ? ''
      : `<p class="commands">What was removed: <code class="command">precis recall ${renderLine(archived, LONGEST_NAME)} WORDS</code> or <code class="command">precis restore ${renderLine(archived, LONGEST_NAME)}</code></p>`
  const deed = type === 'refuse' ? 'refused: nothing could make it fit' : DEEDS[act.act]
  return `<li><p><b>${deed}</b><span class="place">${renderClock(time)}, ${renderDuration(milliseconds)}</span><span class="tokens">${renderShort(tokensBefore)} → ${renderShort(tokensAfter)}</span></p>
<p class="hint">${notes.join('; ')}</p>${recall}</li>`
}

const REASONS: Readonly<Record<string, string>> = {
  unknown: 'looked like a compaction, and is not as any agent is known to send it',
  'too-late': 'precis was not done in time',
  failed: 'precis failed',
  refused: 'nothing could be shortened safely',
}

function renderPassed({ time, reason, problem }: SessionSummary['passed'][number]) {
  const why =
    problem === undefined ? '' : `<p class="hint">${renderLine(problem, LONGEST_PROBLEM)}</p>`
  const html = `<li><p><b>passed as it was</b>: ${escapeHtml(REASONS[reason] ?? reason)}<span class="place">${renderClock(time)}</span></p>${why}</li>`
  return { time, html }
}

const renderPasses = (passes: Money['passes']) =>
  Object.entries(passes)
    .map(([reason, count]) => `${renderCount(count)} ${reason}`)
    .join(', ')

function renderKept({ database, token }: SessionsPage): string {
  return `<section id="kept" aria-labelledby="kept-title">
<h2 id="kept-title">What precis stores</h2>
<ul>
<li>The numbers on this page. No text of a request.</li>
<li>The text that replaces a shortened history, so that every later request has the same bytes, and hashes of the summaries that precis wrote.</li>
<li>The latest request of each session, if its agent sends the history as text when it compacts.</li>
<li>All of this for ${KEPT_DAYS} days after its last use.</li>
<li>What compactions removed, in the archive. At its quota or with <code>precis archive gc</code> it goes ${KEPT_DAYS} days after the last compaction of a session, unless this machine has the session.</li>
<li>No key and no login. A hash with a secret of this gateway identifies the owner.</li>
</ul>
<p>All of it is in <code>${renderLine(database, LONGEST_PROBLEM)}</code>.</p>
<form method="post"><input type="hidden" name="token" value="${escapeHtml(token)}">
<p><label><input type="checkbox" name="originals" value="yes"> also the originals of these sessions in the archive. Removed text can then no longer be looked up</label></p>
<p><button type="submit">Delete what is kept of these sessions</button></p></form>
</section>`
}

/** `$1.20`, or the part of the items that has a price. */
function renderDollarSum({ value, measured, all }: PartialSum): string {
  if (all === 0) return renderDollars(0)
  if (measured === 0) return 'dollars not known'
  return measured === all
    ? renderDollars(value)
    : `${renderDollars(value)} (${measured} of ${all}; the others have no price)`
}

/** How much longer something would have taken. */
function renderTimeSum({ value, measured, all }: PartialSum): string {
  if (measured === 0) return 'time not measured'
  const time = `${renderDuration(Math.abs(value))} ${value < 0 ? 'shorter' : 'longer'}`
  return measured === all ? time : `${time} (${measured} of ${all}; the others were not measured)`
}

const MINUTE_MS = 60_000

export function renderAgo(ms: number): string {
  return ms < MINUTE_MS ? 'just now' : `${renderDuration(ms)} ago`
}

/** In the gateway's time zone. */
function renderClock(time: number): string {
  const date = new Date(time)
  return `<time datetime="${date.toISOString()}">${escapeHtml(renderTime(date))}</time>`
}
