import { type Command, Option } from 'commander'
import { renderCosts, toCostsJson } from '../reports/cost.ts'
import { readMachine } from '../reports/read-machine.ts'
import { COST_GROUPS, type CostGroup, sumCosts } from '../sessions/costs.ts'
import { countWithoutCopies, listCompactions } from '../sessions/overview.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createLimitParser, parseAge } from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface CostFlags {
  readonly by: CostGroup
  readonly since?: Date
  readonly limit: number
  readonly json?: boolean
}

const SHOWN = 30
const MOST_SHOWN = 1_000_000

export function defineCost(command: Command, terminal: Terminal): void {
  command
    .description(
      'Shows what the sessions of all agents on this machine have cost, at list prices and from the usage that agents recorded. A request counts once, however many forks and copies contain it.',
    )
    .addOption(
      new Option('--by <group>', 'one row for each (a block is five hours of one agent)')
        .choices(COST_GROUPS)
        .default('day'),
    )
    .option('--since <age>', 'only requests since 12h, 7d, 2w or 2026-11-01', (text) =>
      parseAge(text),
    )
    .option(
      '-l, --limit <count>',
      'show at most this many rows',
      createLimitParser(MOST_SHOWN),
      SHOWN,
    )
  addJsonOption(command)
    .addHelpText('after', COST_HELP)
    .action(async (flags: CostFlags) => {
      const known = await readMachine(terminal)
      const costs = sumCosts(countWithoutCopies(known), listCompactions(known), flags)
      if (flags.json) terminal.printJson(toCostsJson(costs, flags.by))
      else terminal.print(renderCosts(costs, flags, terminal))
    })
}

const COST_HELP = `
Examples:
  precis cost
  precis cost --by model --since 7d
  precis cost --by block --since 1d
  precis cost --by month --json | jq '.rows[].dollars'

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`
