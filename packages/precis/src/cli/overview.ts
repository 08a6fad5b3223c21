import type { Command } from 'commander'
import { renderOverviewPage } from '../pages/overview-page.ts'
import { renderOverview, toOverviewJson } from '../reports/overview.ts'
import { readMachine } from '../reports/read-machine.ts'
import { createOverview, type KnownSession, type Overview } from '../sessions/overview.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createLimitParser } from './options.ts'
import { addPageOptions, type PageFlags, printViews } from './page-options.ts'
import { addJsonOption } from './session-argument.ts'

interface OverviewFlags extends PageFlags {
  readonly limit: number
}

const SHOWN = 12
const MOST_SHOWN = 1_000_000

export function defineOverview(command: Command, terminal: Terminal): void {
  command
    .description(
      'Shows the sessions of all agents on this machine, by project, this folder first. Lists every compaction in them: when it happened, how long you waited, which of your words and facts it lost, and what it cost. "precis" without a command does the same.',
    )
    .option(
      '-l, --limit <count>',
      'show at most this many projects and compactions',
      createLimitParser(MOST_SHOWN),
      SHOWN,
    )
  addJsonOption(addPageOptions(command, 'all of it'))
    .addHelpText('after', OVERVIEW_HELP)
    .action((flags: OverviewFlags) => showOverview(flags, terminal))
}

const OVERVIEW_HELP = `
Examples:
  precis
  precis --limit 50
  precis --html overview.html
  precis --json | jq '.compactions | map(.lost.words.missing) | add'

Every session is read once, and again only if it has changed. The first time takes longest, and what was read stays in your cache folder, so you may interrupt it.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`

async function showOverview(flags: OverviewFlags, terminal: Terminal): Promise<void> {
  const directory = process.cwd()
  const print = (overview: Overview) =>
    terminal.print(renderOverview(overview, terminal, flags.limit))
  // A pipe gets one answer.
  const isShown = process.stdout.isTTY && !flags.json && flags.html === undefined
  const onFirst = isShown
    ? (known: readonly KnownSession[]) => print(createOverview(known, directory))
    : undefined
  const named = flags.json || flags.html !== undefined ? Infinity : flags.limit
  const overview = createOverview(await readMachine(terminal, { named, onFirst }), directory)
  const views = {
    page: () => renderOverviewPage(overview),
    json: () => toOverviewJson(overview),
    print: () => print(overview),
  }
  await printViews(views, flags, terminal)
}
