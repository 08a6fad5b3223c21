/** What `precis compress` may be told, of one session and of all. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { KeptEnds } from '../configuration/configuration.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { parseAgentName } from './agent-name.ts'
import { type AllFlags, addAllOptions } from './all-options.ts'
import { addKeepOption, checkBudget } from './budget.ts'
import { targetNames } from './convert-session.ts'
import type { DatabaseFlags } from './database-option.ts'
import { addArchiveOption } from './keep-original.ts'
import { createFormatOption, type FormatFlags } from './session-argument.ts'
import { addSummarizerOptions, type SummarizerFlags } from './summarizer-option.ts'

export interface CompressFlags extends SummarizerFlags, DatabaseFlags, AllFlags, FormatFlags {
  readonly budget?: string
  readonly strategy?: string
  readonly keep?: KeptEnds
  readonly instructions?: string
  readonly pin?: readonly string[]
  readonly model?: string
  readonly to?: string
  readonly out?: string
  readonly archive: boolean
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly json?: boolean
}

export function addCompressOptions(command: Command): Command {
  command
    .addOption(
      new Option(
        '-b, --budget <tokens|N%>',
        'upper limit of the result: 8000, 8k, or a share of the text of the session (default: 50%)',
      ).argParser(checkBudget),
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'which parts go; "auto", the default, takes the gentlest way that suffices',
      ).choices(Object.keys(strategyChoices)),
    )
  addKeepOption(command)
  addSummarizerOptions(command)
    .option('--instructions <text>', 'what the summary has to keep above all')
    .option(
      '--pin <text>',
      'text that stays verbatim in this and every later compression; may be given several times',
      addPin,
    )
    .option(
      '--model <id>',
      'the model that will read the result; tokens are counted for it (default: the one recorded)',
    )
    .addOption(
      new Option('--to <agent>', 'write a session of this agent instead, which goes on where the other left off')
        .choices(targetNames)
        .argParser(parseAgentName)
        .conflicts('all'),
    )
    .addOption(createFormatOption().conflicts('all'))
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'report what would be done, without a model and without writing anything')
    .option('-v, --verbose', 'report every step, and what became of every kind of fact')
  addArchiveOption(command)
  return addAllOptions(command)
}

function addPin(text: string, before: readonly string[] | undefined): readonly string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Give the text that has to stay.')
  return [...(before ?? []), text]
}
