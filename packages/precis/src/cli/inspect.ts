import type { Command } from 'commander'
import { renderInspectionPage } from '../pages/inspect-page.ts'
import { createInspectedPage, withInspected } from '../pages/inspected-page.ts'
import { renderInspection, toInspectionJson } from '../reports/inspection.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { findGone } from './archived-session.ts'
import { createModelOption } from './options.ts'
import { addPageOptions, type PageFlags, printViews, refuseSessionFile } from './page-options.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
} from './session-argument.ts'

interface InspectFlags extends FormatFlags, PageFlags {
  readonly model?: string
  readonly all?: boolean
}

export function defineInspect(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Shows where the tokens of a session are: by role, tool, file and turn, its largest items, outdated reads, and what it has cost.',
    )
    .addOption(createModelOption('count tokens for this model'))
    .option('-a, --all', 'print every row of every table')
    .addOption(createFormatOption())
  addJsonOption(addPageOptions(command, 'it turn by turn'))
    .addHelpText('after', INSPECT_HELP)
    .action((name: string, flags: InspectFlags) => inspectSession(name, flags, terminal))
}

async function inspectSession(
  name: string,
  flags: InspectFlags,
  terminal: Terminal,
): Promise<void> {
  await withInspected(name, flags, terminal, async (inspected, counter) => {
    if (flags.html !== undefined) refuseSessionFile(inspected.session, flags.html)
    const gone =
      flags.html === undefined ? [] : await findGone(inspected.session.document.path, terminal)
    const views = {
      page() {
        terminal.progress.show('drawing', 0.8)
        return renderInspectionPage(createInspectedPage(inspected, counter, gone))
      },
      json: () => toInspectionJson(inspected),
      print: () => terminal.print(renderInspection(inspected, terminal, flags.all === true)),
    }
    await printViews(views, flags, terminal)
  })
}

const INSPECT_HELP = `
Examples:
  precis inspect 3f2a
  precis inspect request.json --model gpt-5
  precis inspect 3f2a --html session.html
  precis inspect 3f2a --json | jq '.byTool[] | select(.tokens > 5000)'

Tokens of models whose tokenizer is not public are upper bounds of an estimate. A stale read is one of a file that a later edit changed. A duplicate read returned the same as an earlier one. The cost is at list prices, from recorded usage; ~ means that answers are longer than the recorded output, so precis counted them.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
