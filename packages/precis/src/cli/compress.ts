import { setImmediate } from 'node:timers/promises'
import { digest } from '@precis/core'
import type { Command } from 'commander'
import { compressSession, explainRefusal } from '../compression/compress-session.ts'
import { openSummarizer, toSettings } from '../compression/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { locateGone } from './archived-session.ts'
import { addCompressOptions, type CompressFlags, isForAll } from './compress-options.ts'
import {
  type CompressionResult,
  createPorts,
  explainSubstitute,
  findSummary,
  printWritten,
  renderCompression,
  renderSummary,
  toCompressionJson,
} from './compress-report.ts'
import { readConfigured } from './read-configured.ts'
import { addJsonOption, addSessionArgument, withSession } from './session-argument.ts'

export function defineCompress(command: Command, terminal: Terminal): void {
  addSessionArgument(command, { unless: 'all' }).description(
    'Compresses a session into a new one of the same format. The original is never touched.\n\n' +
      "Without --out the new session of an agent is placed where its agent finds it, and the command that resumes it is printed. What has no such place, standard input or a provider's messages, is written to standard output.",
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
        printResult(await compress(name, chosen, terminal), chosen, terminal)
      }
    })
}

/** A session by path or id, as flags and configuration ask; nothing of the result is printed. */
export async function compress(
  name: string,
  flags: CompressFlags,
  terminal: Terminal,
): Promise<CompressionResult> {
  const startedAt = performance.now()
  const given = await readConfigured(flags)
  const settings = toSettings(given, flags)
  // A dry run pays for nothing.
  const summarizer = flags.dryRun ? digest() : await openSummarizer(given.summarizer)
  if (flags.dryRun && (flags.summarizer ?? digest().name) !== digest().name) {
    terminal.note(
      `precis: a dry run asks no model; ${digest().name} stands in for ${flags.summarizer}.`,
    )
  }
  terminal.progress.show('reading', 0.05)
  return await withSession(name, { format: flags.format }, terminal, async (source) => {
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const result = await compressSession(
      source,
      { settings, to: flags.to, destination: { ...flags, dryRun: flags.dryRun || flags.preview } },
      { summarizer, ...createPorts(flags, given, terminal) },
    )
    terminal.progress.clear()
    if (result.type === 'refused') throw explainRefusal(name, result.why)
    if (result.outcome.type === 'unchanged' && flags.pin) {
      terminal.note(
        'precis: the pinned text is not recorded, because nothing had to be compressed.',
      )
    }
    const gone = await locateGone(result.report.receipt.gone, result.kept, flags)
    return { ...result, gone, durationMs: performance.now() - startedAt }
  })
}

function printResult(result: CompressionResult, flags: CompressFlags, terminal: Terminal): void {
  const { json, preview, verbose = false } = flags
  const substitute = json ? explainSubstitute(result.report) : undefined
  if (substitute !== undefined) terminal.note(`precis: ${substitute}.`)
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
  precis compress 3f2a --budget 40k --dry-run       what would become of it
  precis compress 3f2a --preview                    the summary that would be written
  precis compress 3f2a --window 60k                 the whole request fits, system prompt and tools included
  precis compress - < request.json > small.json     a provider's messages
  precis compress 3f2a --to codex                   go on in another agent
  precis compress 3f2a --json | jq .after.tokens
  precis compress --all --older-than 7d             every session that rested for a week

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 cannot fit the budget, 4 input unreadable or invalid,
130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
