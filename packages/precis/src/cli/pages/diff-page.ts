/** What a compression did to a session, as one page. */
import { readLedgerText, readSummary, readText } from '@precis/core'
import { redactSecrets } from '@precis/core/secrets'
import { findAgentHome } from '../../sessions/agent-home.ts'
import { asCount, asObject, asText } from '../../sessions/lines.ts'
import { shortenHome } from '../../sessions/shorten-home.ts'
import {
  renderBytes,
  renderCount,
  renderDollars,
  renderPlural,
  renderShare,
  renderTime,
} from '../../terminal/render.ts'
import type { ComparedSession } from './compared-session.ts'
import { type FateSums, sumFates } from './diff-fates.ts'
import { renderMap } from './diff-map.ts'
import { renderReceipt, renderSteps, sumFacts } from './diff-receipt.ts'
import { renderDiffTurns } from './diff-turns.ts'
import { escapeHtml } from './escape-html.ts'
import { renderExcerpt, renderLine } from './excerpt.ts'
import { renderPage } from './page.ts'
import { renderHeader, renderMeter, renderSections, renderTiles, type Tile } from './page-sections.ts'

const LONGEST_TITLE = 110
const MOST_READ = 1000
const LONGEST_SUMMARY = 400_000

/** Linear in the session, and a few megabytes at most, whatever its size. */
export function renderDiffPage(session: ComparedSession): string {
  const { fates, report } = session
  const sums = sumFates(fates, session)
  const title = findTitle(session)
  const sections = [
    { id: 'map', title: 'Where it was cut', body: renderMap(session) },
    { id: 'summary', title: 'The summary', body: renderSummaries(session) },
    { id: 'facts', title: 'What survived', body: renderReceipt(report) },
    { id: 'steps', title: 'Steps', body: renderSteps(report) },
    { id: 'turns', title: 'Message by message', body: renderDiffTurns(session) },
    { id: 'back', title: 'Getting it back', body: renderWaysBack(session) },
  ]
  const body = [
    renderDiffHeader(session, title),
    renderTiles(createTiles(session, sums)),
    renderSections(sections),
    FOOTER,
  ]
  return renderPage(`${title} – precis diff`, body.join('\n'))
}

const FOOTER = `<footer><p>Messages are compared by their words. Texts are shown from their beginning; what looks like a key or a password is replaced by [redacted: precis restore]. Nothing on this page was loaded from a network, and nothing in it runs.</p></footer>`

/** What the person asked first; a slash command says little. */
function findTitle({ before, compression }: ComparedSession): string {
  for (const { message } of before) {
    if (message.role !== 'user' || message.origin !== 'user') continue
    const words = readText(message).slice(0, MOST_READ).trim()
    if (words !== '' && !words.startsWith('/')) return words
  }
  return compression.name
}

function renderDiffHeader({ compression, report, counter }: ComparedSession, title: string): string {
  const { command, storedAt, originalPath, originalBytes, path, name, format } = compression
  const by = [asText(report.strategy), asText(report.summarizer)].filter((word) => word !== undefined)
  const place = (value: string | null, otherwise: string) => (value === null ? otherwise : shortenHome(value))
  return renderHeader({
    eyebrow: `What ${command === 'clone' ? 'cloning' : 'compressing'} did · ${findAgentHome(format)?.name ?? format}`,
    title: renderLine(title, LONGEST_TITLE),
    facts: [
      ['when', renderTime(new Date(storedAt))],
      ...(by.length > 0 ? [['by', by.join(' and ')] as const] : []),
      ...(counter.model.id ? [['counted for', counter.model.id] as const] : []),
      ['original', `${place(originalPath, 'standard input')} (${renderBytes(originalBytes)})`],
      ['result', place(path, 'standard output')],
      ['archive', name],
    ],
  })
}

function createTiles({ report, fixedTokens }: ComparedSession, sums: FateSums): Tile[] {
  const all = Object.values(sums)
  const before = all.reduce((total, sum) => total + sum.tokensBefore, fixedTokens.before)
  const after = all.reduce((total, sum) => total + sum.tokensAfter, fixedTokens.after)
  const facts = sumFacts(report)
  const [cost, usage] = [asObject(report.cost), asObject(report.usage)]
  const went = (
    [
      ['changed', 'shortened'],
      ['summarized', 'summarized'],
      ['removed', 'removed'],
      ['added', 'new'],
    ] as const
  ).flatMap(([fate, word]) => (sums[fate].messages > 0 ? [`${renderCount(sums[fate].messages)} ${word}`] : []))
  const calls = usage ? `${renderPlural(asCount(usage.calls), 'call')} of a model` : 'no model was asked'
  return [
    {
      title: 'tokens',
      value: renderCount(after),
      unit: `of ${renderCount(before)}`,
      note: `${renderShare(after, before)} of what it was`,
      meter: renderMeter(after / Math.max(before, 1)),
    },
    {
      title: 'messages kept word for word',
      value: renderCount(sums.kept.messages),
      note: went.join(', ') || 'nothing else',
    },
    ...(facts
      ? [
          {
            title: 'facts of what went',
            value: renderShare(facts.verbatim, facts.total - facts.stale),
            unit: 'still there',
            note: `${renderCount(facts.verbatim)} word for word, ${renderCount(facts.retrievable)} to look up, ${renderCount(facts.missing)} missing`,
          },
        ]
      : []),
    ...(cost
      ? [
          {
            title: 'a request without a cache',
            value: renderDollars(asCount(cost.after)),
            note: `${renderDollars(asCount(cost.before))} before; ${calls}`,
          },
        ]
      : []),
  ]
}

/** In full, as the model reads it. */
function renderSummaries({ fates, after }: ComparedSession): string {
  return fates
    .flatMap((entry) => {
      const message = entry.fate === 'summary' ? after[entry.after] : undefined
      if (!message) return []
      const text = readSummary(message.message) ?? readText(message.message)
      const ledger = readLedgerText(message.message) ?? ''
      const said = `<p class="hint">${renderCount(message.tokens)} tokens, in the place of ${renderCount(countSummarized(fates))} messages.</p>`
      return [said, renderWhole('', text), renderWhole('What is carried on as data', ledger)]
    })
    .join('\n')
}

function countSummarized(fates: ComparedSession['fates']): number {
  return fates.filter(({ fate }) => fate === 'summarized').length
}

function renderWhole(title: string, text: string): string {
  if (text.trim() === '') return ''
  const { html, isCut } = renderExcerpt(redactSecrets(text), LONGEST_SUMMARY)
  const heading = title === '' ? '' : `<h3>${escapeHtml(title)}</h3>`
  return `${heading}<pre class="whole" tabindex="0" role="region" aria-label="${escapeHtml(title || 'The summary')}">${html}${isCut ? '<span class="more">… and more: too long for a page</span>' : ''}</pre>`
}

function renderWaysBack({ compression: { name } }: ComparedSession): string {
  const ways = [
    [`precis restore ${name} --out original`, 'the original, byte for byte'],
    [`precis restore ${name} 12`, 'one record that was removed or changed'],
    [`precis recall ${name} some words`, 'a search in what was removed'],
    [`precis explain ${name}`, 'a list of what was removed, with the numbers of the records'],
  ] as const
  return `<ul class="ways">${ways.map(([command, what]) => `<li><code class="command">${escapeHtml(command)}</code> ${escapeHtml(what)}</li>`).join('')}</ul>`
}
