import { renderCount } from '../../terminal/render.ts'
import type { ComparedSession } from './compared-session.ts'
import { type Fate, fateTitles, sumFates, tokensAfter, tokensBefore } from './diff-fates.ts'
import { renderLegend } from './page-sections.ts'
import { type BarSegment, renderStackedBar } from './stacked-bar.ts'

const MOST_SEGMENTS = 500

/**
 * The session from its beginning to its end, before and after, to one scale.
 *
 *   before  ██████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████
 *   after   ██████▓████
 */
export function renderMap(session: ComparedSession): string {
  const { fates, fixedTokens } = session
  const sums = sumFates(fates, session)
  const before = Object.values(sums).reduce((total, sum) => total + sum.tokensBefore, fixedTokens.before)
  const after = Object.values(sums).reduce((total, sum) => total + sum.tokensAfter, fixedTokens.after)
  const whole = Math.max(before, after)
  const strip = (title: string, total: number, tokensOf: typeof tokensBefore, fixed: number) => {
    const segments = mergeRuns(
      fates.map((entry) => ({ fate: entry.fate, tokens: tokensOf(entry, session) })),
      total,
    )
    const all: BarSegment[] = [{ name: 'k-system', value: fixed, title: 'tool schemas' }, ...segments]
    return `<div class="strip"><p><b>${title}</b> <span>${renderCount(total)} tokens</span></p>${renderStackedBar(all, whole, `${title}: ${renderCount(total)} tokens`)}</div>`
  }
  const rows = fateTitles.flatMap(({ fate, title }) => {
    const { messages, tokensBefore: was, tokensAfter: is } = sums[fate]
    if (messages === 0) return []
    return [{ name: `f-${fate}`, title, values: [renderCount(messages), renderTokens(was), renderTokens(is)] }]
  })
  const fixedRows =
    fixedTokens.before > 0
      ? [
          {
            name: 'k-system',
            title: 'tool schemas',
            values: ['', renderCount(fixedTokens.before), renderCount(fixedTokens.after)],
          },
        ]
      : []
  const totalRow = {
    name: 'total',
    title: 'all',
    values: ['', renderCount(before), renderCount(after)],
  }
  return `${strip('Before', before, tokensBefore, fixedTokens.before)}
${strip('After', after, tokensAfter, fixedTokens.after)}
${renderLegend('What became of the messages', ['', 'messages', 'tokens before', 'after'], [...rows, ...fixedRows, totalRow])}`
}

function renderTokens(tokens: number): string {
  return tokens > 0 ? renderCount(tokens) : '–'
}

/** Neighbours of one fate are one segment; where there are still too many, each is the most frequent fate of a stretch. */
function mergeRuns(entries: readonly { readonly fate: Fate; readonly tokens: number }[], total: number): BarSegment[] {
  const runs: { fate: Fate; tokens: number }[] = []
  for (const { fate, tokens } of entries) {
    const last = runs.at(-1)
    if (last?.fate === fate) last.tokens += tokens
    else if (tokens > 0) runs.push({ fate, tokens })
  }
  const stretches = runs.length > MOST_SEGMENTS ? quantize(runs, total / MOST_SEGMENTS) : runs
  return stretches.map(({ fate, tokens }) => ({
    name: `f-${fate}`,
    value: tokens,
    title: `${fateTitles.find((known) => known.fate === fate)?.title ?? fate}: ${renderCount(tokens)} tokens`,
  }))
}

function quantize(runs: readonly { readonly fate: Fate; readonly tokens: number }[], step: number) {
  const stretches: { fate: Fate; tokens: number }[] = []
  let open = new Map<Fate, number>()
  let size = 0
  const close = () => {
    const [most] = [...open].sort((a, b) => b[1] - a[1])
    if (most) stretches.push({ fate: most[0], tokens: size })
    open = new Map()
    size = 0
  }
  for (const { fate, tokens } of runs) {
    open.set(fate, (open.get(fate) ?? 0) + tokens)
    size += tokens
    if (size >= step) close()
  }
  close()
  return stretches
}
