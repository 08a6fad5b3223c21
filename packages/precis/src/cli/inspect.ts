import { createTokenCounter, findModel } from '@precis/core'
import type { Command } from 'commander'
import { loadSession, toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { renderInspection, toInspectionJson } from './inspection.ts'
import { renderInspectionPage } from './pages/inspect-page.ts'
import { createInspectedPage, createInspectedSession } from './pages/inspected-page.ts'
import { checkPageFile, printPagePath, refuseSessionFile, writePageFile } from './pages/page-file.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
  noteDamage,
} from './session-argument.ts'

export interface InspectFlags extends FormatFlags {
  readonly model?: string
  readonly all?: boolean
  readonly html?: string
  readonly json?: boolean
}

export function defineInspect(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Shows where the tokens of a session are: by role, tool, file and turn, its fattest items, reads that say nothing any more, and what it has cost.',
    )
    .option('--model <id>', 'count tokens for this model (default: the one recorded)')
    .option('-a, --all', 'print every row of every table')
    .option('--html <file>', 'write a page that shows it turn by turn; prints its path alone')
    .addOption(createFormatOption())
  addJsonOption(command)
    .addHelpText('after', INSPECT_HELP)
    .action((name: string, flags: InspectFlags) => inspectSession(name, flags, terminal))
}

export async function inspectSession(name: string, flags: InspectFlags, terminal: Terminal): Promise<void> {
  if (flags.html !== undefined) checkPageFile(flags.html)
  terminal.progress.show('reading', 0.1)
  const session = await loadSession(name, flags.format)
  try {
    if (flags.html !== undefined) refuseSessionFile(session, flags.html)
    noteDamage(session, terminal)
    const { conversation } = session
    terminal.progress.show('counting', 0.5)
    const counter = createTokenCounter(findModel(flags.model ?? conversation.model ?? ''))
    const inspected = createInspectedSession(session, counter)
    if (flags.html !== undefined) {
      terminal.progress.show('drawing', 0.8)
      const page = renderInspectionPage(createInspectedPage(inspected, counter))
      await writePageFile(flags.html, page)
    }
    terminal.progress.clear()
    if (flags.html !== undefined) printPagePath(flags.html, flags.json, terminal)
    if (flags.json) terminal.printJson({ ...toInspectionJson(inspected), ...toDamageJson(session) })
    else if (flags.html === undefined)
      terminal.print(renderInspection(inspected, terminal, flags.all ? Number.POSITIVE_INFINITY : undefined))
  } finally {
    session.document.close()
  }
}

const INSPECT_HELP = `
Examples:
  precis inspect 3f2a
  precis inspect request.json --model gpt-5
  precis inspect 3f2a --html session.html
  precis inspect 3f2a --json | jq '.byTool[] | select(.tokens > 5000)'

Tokens of models whose tokenizer is not public are upper bounds of an estimate. A stale read is one of a file that a
later edit changed; a duplicate read gave what an earlier one gave. The cost is at list prices, from recorded usage.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
