/** What the command reported when it was run: steps, and what became of the facts. */
import { asCount, asObject, asText, type JsonObject } from '../../sessions/lines.ts'
import { renderCount } from '../../terminal/render.ts'
import { renderLine } from './excerpt.ts'
import { renderPageTable } from './page.ts'
import { renderKeys } from './page-sections.ts'
import { renderStackedBar } from './stacked-bar.ts'

const STATES = ['verbatim', 'retrievable', 'missing', 'stale'] as const
const STATE_TITLES = {
  verbatim: 'still there word for word',
  retrievable: 'can be looked up',
  missing: 'not in the result',
  stale: 'made void by a later event',
}
const LONGEST_NAME = 60

export type FactSums = Readonly<Record<(typeof STATES)[number] | 'total', number>>

/** Over all kinds; undefined where no receipt was kept. */
export function sumFacts(report: JsonObject): FactSums | undefined {
  const kinds = listKinds(report)
  if (kinds.length === 0) return undefined
  const sums = { total: 0, verbatim: 0, retrievable: 0, missing: 0, stale: 0 }
  for (const { counts } of kinds) {
    for (const state of [...STATES, 'total'] as const) sums[state] += asCount(counts[state])
  }
  return sums
}

function listKinds(report: JsonObject): { readonly kind: string; readonly counts: JsonObject }[] {
  const kinds = Object.entries(asObject(asObject(report.receipt)?.kinds) ?? {})
  return kinds.flatMap(([kind, value]) => {
    const counts = asObject(value)
    return counts && asCount(counts.total) > 0 ? [{ kind, counts }] : []
  })
}

export function renderReceipt(report: JsonObject): string {
  const kinds = listKinds(report)
  if (kinds.length === 0) return ''
  const most = kinds.reduce((top, { counts }) => Math.max(top, asCount(counts.total)), 0)
  const sums = sumFacts(report)
  const shown = STATES.filter((state) => (sums?.[state] ?? 0) > 0)
  const rows = kinds.map(({ kind, counts }) => [
    `<th scope="row">${renderLine(kind, LONGEST_NAME)}</th>`,
    ...[counts.total, ...shown.map((state) => counts[state])].map(
      (count) => `<td>${renderNumber(asCount(count))}</td>`,
    ),
    `<td class="bar">${renderStackedBar(
      shown.map((state) => ({
        name: `f-${state}`,
        value: asCount(counts[state]),
        title: `${state}: ${renderCount(asCount(counts[state]))}`,
      })),
      most,
    )}</td>`,
  ])
  const keys = shown.map((state) => ({
    name: `f-${state}`,
    title: STATE_TITLES[state],
    value: renderCount(sums?.[state] ?? 0),
  }))
  return `<p>Paths, commands, errors, numbers, decisions and the like that the removed messages held, looked for in the result.</p>
${renderKeys('Facts by what became of them', keys)}
${renderPageTable('Facts of what went', ['kind', 'all', ...shown, ''], rows)}`
}

function renderNumber(count: number): string {
  return count > 0 ? renderCount(count) : ''
}

export function renderSteps({ rungs, steps }: JsonObject): string {
  const taken = [rungs, steps].flatMap((list) => (Array.isArray(list) ? list.map(asObject) : []))
  const rows = taken.flatMap((step) => {
    if (!step) return []
    const [was, is] = [asCount(step.tokensBefore), asCount(step.tokensAfter)]
    return [
      [
        `<th scope="row">${renderLine(asText(step.name) ?? '', LONGEST_NAME)}</th>`,
        ...[renderCount(was), renderCount(is), `−${renderCount(was - is)}`].map((text) => `<td>${text}</td>`),
      ],
    ]
  })
  return rows.length === 0 ? '' : renderPageTable('Steps, in order', ['step', 'tokens before', 'after', 'saved'], rows)
}
