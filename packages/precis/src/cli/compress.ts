import type { Command } from 'commander'
import { type CompressionResult, compressNamed } from '../compression/compress-named.ts'
import {
  findSummary,
  listNotices,
  renderCompression,
  renderSummary,
  toCompressionJson,
} from '../reports/compression.ts'
import { printWritten } from '../reports/destination.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addCompressOptions, type CompressFlags, isForAll } from './compress-options.ts'
import { addJsonOption, addSessionArgument } from './session-argument.ts'

export function defineCompress(command: Command, terminal: Terminal): void {
  addSessionArgument(command, { unless: 'all' }).description(
    'Compresses a session into a new session of the same format. The original never changes.\n\n' +
      "The new session of an agent is placed where its agent finds it, unless --out names a file, and the command that resumes it is printed. A result without such a place, from standard input or a provider's messages, goes to standard output.",
  )
  addJsonOption(addCompressOptions(command))
    .addHelpText('after', COMPRESS_HELP)
    .action(async (name: string | undefined, flags: CompressFlags) => {
      if (isForAll(name, flags))
        await (await import('./compress-all.ts')).compressAll(
          flags,
          command.parent?.version() ?? '',
          terminal,
        )
      else if (name !== undefined) {
        const chosen = flags.interactive
          ? await (await import('./choose-by-hand.ts')).chooseByHand(name, flags)
          : flags
        printResult(await compressNamed(name, chosen, terminal), chosen, terminal)
      }
    })
}

function printResult(result: CompressionResult, flags: CompressFlags, terminal: Terminal): void {
  const { json, preview, verbose = false } = flags
  for (const notice of json ? listNotices(result.report) : []) terminal.note(`precis: ${notice}`)
  const { colors, columns } = terminal
  if (json)
    terminal.printJson({
      ...toCompressionJson(result),
      ...(preview && { summary: findSummary(result) ?? null }),
    })
  else if (preview) {
    terminal.print(renderSummary(result))
    terminal.note(`\n${renderCompression(result, { verbose, colors, columns })}`)
  } else
    printWritten(
      renderCompression(result, { verbose, colors, columns }),
      result.destination,
      terminal,
    )
}

const COMPRESS_HELP = `
Examples:
  precis compress 3f2a                              half the size, resumable by its agent
  precis compress 3f2a --budget 40k --dry-run       what would happen
  precis compress 3f2a --preview                    the summary that would be written
  precis compress 3f2a --window 60k                 the whole request fits, system prompt and tools included
  precis compress - < request.json > small.json     a provider's messages
  precis compress 3f2a --to codex                   continue in another agent
  precis compress 3f2a --json | jq .after.tokens
  precis compress --all --older-than 7d             every session that was not used for a week

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 cannot fit the budget, 4 input unreadable or invalid, 130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
