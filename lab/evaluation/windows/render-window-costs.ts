import type { WindowCost } from './window-costs.ts'

const HEAD = [
  '| window | sessions | plan | cost | names lost | dearest in | too long |',
  '|--:|--:|---|--:|--:|--:|--:|',
]

/** A row for each window and plan. Costs are means of sessions, names are counted together. */
export function renderWindowCosts(costs: readonly WindowCost[]): string {
  const windows = [...new Set(costs.map(({ windowTokens }) => windowTokens))].sort((a, b) => a - b)
  const rows = windows.flatMap((window) => {
    const found = costs.filter(({ windowTokens }) => windowTokens === window)
    const plans = [...new Set(found.map(({ plan }) => plan))]
    return plans.map((plan, index) => renderPlan(plan, found, index === 0))
  })
  return [...HEAD, ...rows].join('\n')
}

function renderPlan(plan: string, ofWindow: readonly WindowCost[], isFirst: boolean): string {
  const own = ofWindow.filter((cost) => cost.plan === plan)
  const add = (amount: (cost: WindowCost) => number) =>
    own.reduce((sum, cost) => sum + amount(cost), 0)
  const needed = add((cost) => cost.needed)
  const missing = add((cost) => cost.missing)
  const tooLong = own.filter((cost) => cost.tooLong > 0).length
  const cells = [
    isFirst ? renderCount(own[0]?.windowTokens ?? 0) : '',
    isFirst ? own.length : '',
    plan,
    renderCount(add(({ cost }) => cost) / own.length),
    needed === 0 ? '0 of 0' : `${missing} of ${needed} (${Math.round((100 * missing) / needed)}%)`,
    own.filter((cost) => isDearest(cost, ofWindow)).length,
    tooLong === 0 ? '' : tooLong,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Alone, or with others that cost the same. */
function isDearest({ session, cost }: WindowCost, ofWindow: readonly WindowCost[]): boolean {
  const others = ofWindow.filter((other) => other.session === session)
  return Math.round(cost) >= Math.max(...others.map((other) => Math.round(other.cost)))
}

const renderCount = (count: number): string => Math.round(count).toLocaleString('en-US')
