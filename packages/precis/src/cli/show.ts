import { type Command, InvalidArgumentError } from 'commander'
import { assertWritable } from '../compression/destination.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import type { SessionEntry } from '../reports/entry.ts'
import {
  encodeBlocks,
  readShownCompactions,
  readShownEntries,
  renderEntries,
  renderHeading,
  toEntriesJson,
} from '../reports/session-entries.ts'
import { STANDARD_INPUT, toDamageJson } from '../sessions/load-session.ts'
import { neutralizeLine, renderBytes, renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import { wrongUsage } from './failure.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
} from './session-argument.ts'

interface ShowFlags extends FormatFlags {
  readonly record?: number
  readonly all?: boolean
  readonly out?: string
  readonly json?: boolean
}

export function defineShow(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .argument(
      '[turn]',
      'only this turn: its number, from 1 (0: everything before your first message)',
      parseNumber,
    )
    .description(
      'Prints a session as Markdown, turn by turn: who said what and when, calls with the beginning of their results, summaries, and compactions. Secrets are replaced.',
    )
    .option(
      '--record <n>',
      'only this record, in full: the number that "precis show" or a search printed',
      parseNumber,
    )
    .option('-a, --all', 'show results, arguments, thoughts and injected texts in full')
    .option('-o, --out <file>', 'write it to this file')
    .addOption(createFormatOption())
  addJsonOption(command)
    .addHelpText('after', SHOW_HELP)
    .action((name: string, turn: number | undefined, flags: ShowFlags) =>
      show(name, turn, flags, terminal),
    )
}

function parseNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a number.')
}

async function show(
  name: string,
  turn: number | undefined,
  flags: ShowFlags,
  terminal: Terminal,
): Promise<void> {
  const { record } = flags
  if (turn !== undefined && flags.record !== undefined)
    throw wrongUsage('Give a turn or --record, not both.')
  const out = flags.out === STANDARD_INPUT ? undefined : flags.out
  terminal.progress.show('reading', 0.2)
  await withSession(name, flags.format, terminal, async (session) => {
    if (out !== undefined) assertWritable(out, session)
    const { entries, style } = readShownEntries(session, flags)
    const chosen = choose(name, entries, turn, flags.record)
    const heading =
      turn === undefined && flags.record === undefined ? [renderHeading(session, entries)] : []
    terminal.progress.clear()
    if (flags.json && out === undefined)
      return terminal.printJson(toEntriesJson(session, chosen, style))
    const compactions = record === undefined ? readShownCompactions(session, chosen, entries) : []
    const lines = renderEntries(heading, chosen, { ...style, compactions })
    if (out === undefined)
      return void (await terminal.printBytes(
        encodeBlocks(lines, terminal.colors, process.stdout.columns),
      ))
    const bytes = await writeFileAtomically(out, encodeBlocks(lines))
    if (flags.json) terminal.printJson({ output: out, bytes, ...toDamageJson(session) })
    else terminal.note(`Wrote ${renderBytes(bytes)} to ${neutralizeLine(out)}`)
  })
}

function choose(
  name: string,
  entries: readonly SessionEntry[],
  turn: number | undefined,
  record: number | undefined,
): readonly SessionEntry[] {
  if (turn === undefined && record === undefined) return entries
  const chosen = entries.filter((entry) =>
    turn === undefined ? entry.records.includes(record ?? 0) : entry.turn === turn,
  )
  if (chosen.length > 0) return chosen
  if (turn === undefined) {
    throw wrongUsage(
      `Showing "${name}": record ${record} contains no message. "precis show" prints the numbers of records that do.`,
    )
  }
  throw wrongUsage(
    `Showing "${name}": there is no turn ${turn}. It has ${renderPlural(entries.at(-1)?.turn ?? 0, 'turn')}.`,
  )
}

const SHOW_HELP = `
Examples:
  precis show 3f2a | less
  precis show 3f2a 12                     the twelfth request, and everything until the next
  precis show 3f2a --record 248           one call, result or message in full
  precis show 3f2a --all --out talk.md    an export

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
