import { createTokenCounter, findModel, inspect } from '@precis/core'
import type { Command } from 'commander'
import { loadSession } from '../sessions/load-session.ts'
import { readUsage } from '../sessions/read-usage.ts'
import { type InspectedSession, renderInspection, toInspectionJson } from './inspection.ts'
import { addJsonOption, addSessionArgument, noteCutOffLine } from './session-argument.ts'
import type { Terminal } from './terminal.ts'

interface InspectFlags {
  readonly model?: string
  readonly all?: boolean
  readonly json?: boolean
}

export function defineInspect(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Shows where the tokens of a session are: by role, tool, file and turn, its fattest items, reads that say nothing any more, and what it has cost.',
    )
    .option('--model <id>', 'count tokens for this model (default: the one recorded)')
    .option('-a, --all', 'print every row of every table')
  addJsonOption(command)
    .addHelpText('after', INSPECT_HELP)
    .action((name: string, flags: InspectFlags) => inspectSession(name, flags, terminal))
}

async function inspectSession(name: string, flags: InspectFlags, terminal: Terminal): Promise<void> {
  terminal.progress.show('reading', 0.1)
  const session = await loadSession(name)
  try {
    noteCutOffLine(session, terminal)
    const { conversation, home, document } = session
    terminal.progress.show('counting', 0.5)
    const counter = createTokenCounter(findModel(flags.model ?? conversation.model ?? ''))
    const inspected: InspectedSession = {
      session,
      model: counter.model,
      inspection: inspect(conversation, counter),
      usage: home && readUsage(document.source, home.agent),
    }
    terminal.progress.clear()
    if (flags.json) terminal.printJson(toInspectionJson(inspected))
    else terminal.print(renderInspection(inspected, terminal, flags.all ? Number.POSITIVE_INFINITY : undefined))
  } finally {
    session.document.close()
  }
}

const INSPECT_HELP = `
Examples:
  precis inspect 3f2a
  precis inspect request.json --model gpt-5
  precis inspect 3f2a --json | jq '.byTool[] | select(.tokens > 5000)'

Tokens of models whose tokenizer is not public are upper bounds of an estimate. A stale read is one of a file that a
later edit changed; a duplicate read gave what an earlier one gave. The cost is at list prices, from recorded usage.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
