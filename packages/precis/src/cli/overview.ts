import type { Command } from 'commander'
import { agents } from '../agents/index.ts'
import { shortenHome } from '../files/user-folders.ts'
import { renderOverviewPage } from '../pages/overview-page.ts'
import { renderOverview, toOverviewJson } from '../reports/overview.ts'
import { openFactsCache } from '../sessions/facts-cache.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { createOverview } from '../sessions/overview.ts'
import { neutralizeLine, renderBytes, renderCount, renderPlural } from '../terminal/render.ts'
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

Every session is read once, and again only when it has changed; what was read is kept in your cache folder, so the first time
takes longest and may be interrupted. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`

async function showOverview(flags: OverviewFlags, terminal: Terminal): Promise<void> {
  const { progress } = terminal
  const files = listSessionFiles()
  const cache = openFactsCache()
  let isAnnounced = false
  const overview = await createOverview(files, {
    cache,
    directory: process.cwd(),
    onProgress(read, toRead) {
      if (!isAnnounced && toRead >= LONG) terminal.note(describeFirst(files, toRead))
      isAnnounced = true
      progress.show(`reading ${renderPlural(toRead, 'session')}`, read / toRead)
    },
    onProblem: (problem) =>
      terminal.note(neutralizeLine(`precis: the results are not cached. ${problem}`)),
  })
  progress.clear()
  const { unreadable } = overview
  if (unreadable.length > 0) {
    const [first = ''] = unreadable
    terminal.note(
      neutralizeLine(
        `precis: ${renderPlural(unreadable.length, 'session')} could not be read, such as "${shortenHome(first)}", and only their size counts.`,
      ),
    )
  }
  const views = {
    page: () => renderOverviewPage(overview),
    json: () => toOverviewJson(overview),
    print: () => terminal.print(renderOverview(overview, terminal, flags.limit)),
  }
  await printViews(views, flags, terminal)
}

// If there are fewer, they are read faster than a user can read this line.
const LONG = 200

/** What exists, before any of it is read. */
function describeFirst(files: readonly SessionFile[], toRead: number): string {
  const counts = agents.flatMap((agent) => {
    const own = files.filter((file) => file.agent === agent)
    const bytes = own.reduce((sum, file) => sum + file.bytes, 0)
    return own.length > 0
      ? [`  ${agent.title}: ${renderPlural(own.length, 'session')}, ${renderBytes(bytes)}`]
      : []
  })
  return [
    `precis: ${renderPlural(files.length, 'session')} on this machine:`,
    ...counts,
    `Reading ${renderCount(toRead)} new or changed ones. Ctrl+C keeps what was already read.`,
  ].join('\n')
}
