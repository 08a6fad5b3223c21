import { type Command, InvalidArgumentError, Option } from 'commander'
import { listGenerations } from '../archive/compressions.ts'
import { type FoundSpan, searchRemoved } from '../archive/search-removed.ts'
import { addArchivedSessionArgument, withArchivedSession } from './archived-session.ts'
import { renderBytes } from './render.ts'
import { addJsonOption } from './session-argument.ts'
import type { Terminal } from './terminal.ts'
import { neutralizeLine } from './terminal-text.ts'

interface RecallFlags {
  readonly limit: number
  readonly json?: boolean
}

const DEFAULT_LIMIT = 10
const MOST_FOUND = 1000

export function defineRecall(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .argument('<query...>', 'words; records that have all of them come first')
    .description(
      'Searches what compressions removed from a session or changed in it, also those before the last one. Known shapes of keys and passwords are neither found nor shown; "precis restore" gives every byte.',
    )
    .addOption(
      new Option('-l, --limit <count>', 'show at most so many')
        .argParser(parseLimit)
        .default(DEFAULT_LIMIT, String(DEFAULT_LIMIT)),
    )
  addJsonOption(command)
    .addHelpText('after', RECALL_HELP)
    .action((name: string, query: string[], flags: RecallFlags) => recall(name, query.join(' '), flags, terminal))
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MOST_FOUND) throw new InvalidArgumentError(`Give a number from 1 to ${MOST_FOUND}.`)
  return limit
}

async function recall(name: string, query: string, { limit, json }: RecallFlags, terminal: Terminal): Promise<void> {
  const found = await withArchivedSession(name, (database, compression) =>
    searchRemoved(database, listGenerations(database, compression), query, limit),
  )
  if (json) terminal.printJson({ query, found })
  else if (found.length === 0) terminal.note('Nothing that was removed has these words.')
  else terminal.print(found.map((span) => renderFound(span, terminal)).join('\n\n'))
}

function renderFound({ compression, span, fate, label, bytes, excerpt }: FoundSpan, { colors }: Terminal): string {
  const title = `${neutralizeLine(label)}, ${fate}, ${renderBytes(bytes)}`
  const text = neutralizeLine(excerpt).replace(/ {2,}/g, ' ')
  return `${colors.bold(title)}  ${colors.dim(`precis restore ${compression} ${span}`)}\n  ${text}`
}

const RECALL_HELP = `
Examples:
  precis recall 3f2a migration plan
  precis recall 3f2a "ECONNREFUSED 5432" --limit 3
  precis recall 3f2a flaky test --json | jq '.found[].excerpt'

Exit codes: 0 done, also when nothing is found, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
