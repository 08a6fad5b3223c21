/** The changes that a compression made to a session, as one page. */
import { readLedgerText, readSummary, readText } from '@precis/core/conversation'
import { redactSecrets } from '@precis/core/secrets'
import { readWordCounts } from '../archive/locate-facts.ts'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'
import { shortenHome } from '../files/user-folders.ts'
import { findAgent } from '../sessions/find-sessions.ts'
import { NOT_IN_FILE } from '../sessions/recorded-context.ts'
import {
  renderBytes,
  renderCount,
  renderDollars,
  renderPlural,
  renderShare,
  renderTime,
  renderUserWords,
} from '../terminal/render.ts'
import { findLargest, renderStackedBar } from './charts.ts'
import { type ComparedSession, changeTitles, sumChanges } from './compared-session.ts'
import { renderDiffTurns, renderMap } from './diff-turns.ts'
import { renderGoneTable } from './gone-table.ts'
import {
  escapeHtml,
  NOTE_ON_TEXTS,
  renderCell,
  renderExcerpt,
  renderKeys,
  renderLine,
  renderMeter,
  renderPageTable,
  renderRowHead,
  renderSessionPage,
  type Tile,
} from './page.ts'

const MOST_READ = 1000
const LONGEST_SUMMARY = 400_000

/** Linear in the session, and a few megabytes at most, regardless of its size. */
export function renderDiffPage(session: ComparedSession): string {
  const { report, counter, compression } = session
  const { command, storedAt, originalPath, originalBytes, path, name, format } = compression
  const by = [asText(report.strategy), asText(report.summarizer)].filter(
    (word) => word !== undefined,
  )
  const place = (value: string | null, otherwise: string) =>
    value === null ? otherwise : shortenHome(value)
  return renderSessionPage({
    command: 'diff',
    eyebrow: `What ${command === 'clone' ? 'cloning' : 'compressing'} did · ${findAgent(format, undefined)?.title ?? format}`,
    title: findTitle(session),
    facts: [
      ['when', renderTime(new Date(storedAt))],
      ['by', by.join(' and ') || undefined],
      ['counted for', counter.model.id || undefined],
      ['budget', asText(report.budget)],
      ['original', `${place(originalPath, 'standard input')} (${renderBytes(originalBytes)})`],
      ['result', place(path, 'standard output')],
      ['archive', name],
    ],
    tiles: createTiles(session),
    sections: [
      { id: 'map', title: 'Where it was cut', body: renderMap(session) },
      { id: 'summary', title: 'The summary', body: renderSummaries(session) },
      { id: 'facts', title: 'What survived', body: renderSurvived(session) },
      { id: 'steps', title: 'Steps', body: renderSteps(report) },
      { id: 'turns', title: 'Message by message', body: renderDiffTurns(session) },
      { id: 'back', title: 'Getting it back', body: renderWaysBack(session) },
    ],
    notes: [`Messages are compared by their words. ${NOTE_ON_TEXTS}`],
  })
}

/** The first request of the user. A slash command says little. */
function findTitle({ before, compression }: ComparedSession): string {
  for (const { message } of before) {
    if (message.role !== 'user' || message.origin !== 'user') continue
    const words = readText(message).slice(0, MOST_READ).trim()
    if (words !== '' && !words.startsWith('/')) return words
  }
  return compression.name
}

function createTiles(session: ComparedSession): (Tile | undefined)[] {
  const { changes, report, fixedTokens } = session
  const { sums, before, after } = sumChanges(changes, session, fixedTokens)
  const facts = sumFacts(report)
  const [cost, usage] = [asObject(report.cost), asObject(report.usage)]
  const others = changeTitles.flatMap(({ fate, word }) => {
    const { messages } = sums[fate]
    return fate === 'kept' || fate === 'summary' || messages === 0
      ? []
      : [`${renderCount(messages)} ${word}`]
  })
  const calls = usage
    ? `${renderPlural(asCount(usage.calls), 'call')} of a model`
    : 'no model was asked'
  return [
    {
      title: 'tokens',
      value: renderCount(after),
      unit: `of ${renderCount(before)}`,
      note: `${renderShare(after, before)} of what it was${describeAdded(report, before, after)}`,
      meter: renderMeter(after / Math.max(before, 1)),
    },
    {
      title: 'messages kept word for word',
      value: renderCount(sums.kept.messages),
      note: others.join(', ') || 'nothing else',
    },
    facts && {
      title: 'facts of what went',
      value: renderShare(facts.verbatim, facts.total - facts.stale),
      unit: 'still there',
      note: `${renderCount(facts.verbatim)} word for word, ${renderCount(facts.retrievable)} to look up, ${renderCount(facts.missing)} missing`,
    },
    cost && {
      title: 'a request without a cache',
      value: renderDollars(asCount(cost.after)),
      note: `${renderDollars(asCount(cost.before))} before; ${calls}`,
    },
  ]
}

function describeAdded(report: JsonObject, before: number, after: number): string {
  const added = asCount(report.notInFileTokens)
  if (added === 0) return ''
  return `; ${renderCount(added)} ${NOT_IN_FILE}; ${renderCount(before + added)} in all before, ${renderCount(after + added)} after`
}

function renderSummaries({ changes, after }: ComparedSession): string {
  const summarized = changes.filter(({ fate }) => fate === 'summarized').length
  const blocks = changes.flatMap((entry) => {
    const inspected = entry.fate === 'summary' ? after[entry.after] : undefined
    if (!inspected) return []
    const { message, tokens } = inspected
    return [
      `<p class="hint">${renderCount(tokens)} tokens, in the place of ${renderCount(summarized)} messages.</p>`,
      renderWhole('', readSummary(message) ?? readText(message)),
      renderWhole('What is carried on as data', readLedgerText(message) ?? ''),
    ]
  })
  return blocks.join('\n')
}

function renderWhole(title: string, text: string): string {
  if (text.trim() === '') return ''
  const { html, isCut } = renderExcerpt(redactSecrets(text), LONGEST_SUMMARY)
  const heading = title === '' ? '' : `<h3>${escapeHtml(title)}</h3>`
  return `${heading}<pre class="whole" tabindex="0" role="region" aria-label="${escapeHtml(title || 'The text of the summary')}">${html}${isCut ? '<span class="more">… and more: too long for a page</span>' : ''}</pre>`
}

function renderWaysBack({ compression: { name } }: ComparedSession): string {
  const ways = [
    [`precis restore ${name} --out original`, 'the original, byte for byte'],
    [`precis restore ${name} 12`, 'one record that was removed or changed'],
    [`precis recall ${name} some words`, 'a search in what was removed'],
    [`precis diff ${name} --full`, 'a list of what was removed, with the numbers of the records'],
  ] as const
  return `<ul class="ways">${ways.map(([command, what]) => `<li><code class="command">${escapeHtml(command)}</code> ${escapeHtml(what)}</li>`).join('')}</ul>`
}

const STATES = {
  verbatim: 'still there word for word',
  retrievable: 'can be looked up',
  missing: 'not in the result',
  stale: 'made void by a later event',
}
const LONGEST_NAME = 60

/** Over all kinds. Undefined if no receipt was stored. */
function sumFacts(report: JsonObject) {
  const kinds = listKinds(report)
  if (kinds.length === 0) return undefined
  const sums = { total: 0, verbatim: 0, retrievable: 0, missing: 0, stale: 0 }
  for (const { counts } of kinds)
    for (const state of typedKeys(sums)) sums[state] += asCount(counts[state])
  return sums
}

const typedKeys = Object.keys as <Shape extends object>(shape: Shape) => (keyof Shape)[]

function listKinds(report: JsonObject): { readonly kind: string; readonly counts: JsonObject }[] {
  const kinds = Object.entries(asObject(asObject(report.receipt)?.kinds) ?? {})
  return kinds.flatMap(([kind, value]) => {
    const counts = asObject(value)
    return counts && asCount(counts.total) > 0 ? [{ kind, counts }] : []
  })
}

function renderSurvived({ report, gone }: ComparedSession): string {
  const words = renderUserWords(readWordCounts(report))
  return `${words === '' ? '' : `<p>${escapeHtml(words)}</p>`}${renderReceipt(report)}${renderGoneTable(gone)}`
}

function renderReceipt(report: JsonObject): string {
  const kinds = listKinds(report)
  const sums = sumFacts(report)
  if (!sums) return ''
  const most = findLargest(kinds.map(({ counts }) => asCount(counts.total)))
  const shown = typedKeys(STATES).filter((state) => sums[state] > 0)
  const rows = kinds.map(({ kind, counts }) => {
    const segments = shown.map((state) => {
      const value = asCount(counts[state])
      return { name: `f-${state}`, value, title: `${state}: ${renderCount(value)}` }
    })
    return [
      renderRowHead(renderLine(kind, LONGEST_NAME)),
      ...[counts.total, ...shown.map((state) => counts[state])].map((count) =>
        renderCell(renderNumber(asCount(count))),
      ),
      `<td class="bar">${renderStackedBar(segments, most)}</td>`,
    ]
  })
  const keys = shown.map((state) => ({
    name: `f-${state}`,
    title: STATES[state],
    value: renderCount(sums[state]),
  }))
  return `<p>Paths, commands, errors, numbers, decisions and the like that the removed messages held, looked for in the result.</p>
${renderKeys('Facts by what became of them', keys)}
${renderPageTable('Facts of what went', ['kind', 'all', ...shown, 'to scale'], rows)}`
}

function renderNumber(count: number): string {
  return count > 0 ? renderCount(count) : ''
}

function renderSteps({ rungs, steps }: JsonObject): string {
  const taken = [rungs, steps].flatMap((list) => (Array.isArray(list) ? list.map(asObject) : []))
  const rows = taken.flatMap((step) => {
    if (!step) return []
    const [was, is] = [asCount(step.tokensBefore), asCount(step.tokensAfter)]
    const name = renderRowHead(renderLine(asText(step.name) ?? '', LONGEST_NAME))
    return [
      [name, ...[renderCount(was), renderCount(is), `−${renderCount(was - is)}`].map(renderCell)],
    ]
  })
  return rows.length === 0
    ? ''
    : renderPageTable('Steps, in order', ['step', 'tokens before', 'after', 'saved'], rows)
}
